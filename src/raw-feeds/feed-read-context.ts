import { availableParallelism } from 'node:os';
import type { ProcessGroup } from '../base/semaphore.js';
import type { MinuteRange } from '../day-files/day.js';
import type { EventSink } from '../events/run-events.js';
import { createByteRateLimit, createConcurrency } from '../http/concurrency.js';
import { createPause } from '../http/retry-policy.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { ServiceClient } from '../service/service-client.js';
import { createSharedSlices, type SharedSlices, type SliceFetchContext } from './slices/shared-slices.js';
import { openSliceCache } from './slices/slice-cache.js';
import { createRequestQuota } from './slices/slice-request.js';

/** A selection of one exchange's own messages in a period. */
export interface FeedRequest {
  readonly exchange: string;
  /** In any form; an empty list selects everything. */
  readonly filters: readonly FeedFilter[];
  readonly range: MinuteRange;
}

/** State shared by all requests of a run. */
export interface FeedReadContext extends SliceFetchContext {
  /** Slices that replays of the run have requested, for reuse by the others. */
  readonly shared: SharedSlices;
  /** Memory for the text of slices, shared by all replays. */
  readonly texts: TextBudget;
  /** Maximum number of slices that a replay decompresses ahead of the one it reads. */
  readonly maxOpenAhead: number;
  /** Size of each buffer for the messages of a replay, in bytes. */
  readonly bufferBytes: number;
  /** Size of one write of messages, in bytes; undefined for the default. */
  readonly writeBytes: number | undefined;
  /** Read only slices on disk, without requests. */
  readonly offline: boolean;
  readonly signal: AbortSignal;
}

export interface FeedReadOptions {
  readonly client: ServiceClient;
  /** Cache folder, which holds the slices in `feeds`. */
  readonly cacheFolder: string;
  /** Maximum bytes of all slices; undefined for no limit. */
  readonly cacheLimit: number | undefined;
  readonly offline: boolean;
  readonly concurrency: number | 'auto';
  readonly retries: number;
  readonly maxWaitMs: number;
  /** Maximum bytes per second, over all requests. */
  readonly maxRate?: number | undefined;
  /** Processes that may fetch the same slices. */
  readonly beside?: ProcessGroup | undefined;
  /** Maximum bytes of text that slices hold in memory, over all replays; 192 MB by default. */
  readonly textBytes?: number | undefined;
  /**
   * Maximum number of slices that a replay decompresses ahead of the one it reads; by default one for each
   * processor, up to 4.
   */
  readonly maxOpenAhead?: number | undefined;
  /** Size of each buffer for the messages of a replay, in bytes; 256 KB by default. */
  readonly bufferBytes?: number | undefined;
  /** Size of one write of messages, in bytes; 512 KB by default. */
  readonly writeBytes?: number | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Slices are smaller than day files, so more parallel requests pay off
 * (docs/spec/raw-feeds-api.md#request-rate).
 */
const SLICE_CONCURRENCY = { initial: 20, max: 60 };

const DEFAULT_TEXT_BYTES = 192 * 1024 * 1024;
const DEFAULT_BUFFER_BYTES = 256 * 1024;
/** A reader cannot use the text of more slices: decompression takes about twice its time. */
const MAX_OPEN_AHEAD = 4;

/** Creates the state shared by all requests of a run; sends no request. */
export function createFeedReadContext(options: FeedReadOptions): FeedReadContext {
  const { client, cacheFolder, cacheLimit, concurrency, maxRate, beside, emit } = options;
  const { offline, retries, maxWaitMs, signal } = options;
  const warn = (message: string): void => emit({ event: 'warning', message });
  return {
    client,
    cache: openSliceCache({ folder: cacheFolder, limitBytes: cacheLimit, warn }),
    offline,
    retries,
    maxWaitMs,
    concurrency: createConcurrency(concurrency, { bounds: SLICE_CONCURRENCY, processes: beside?.processes }),
    pause: createPause(),
    quota: createRequestQuota(),
    rate: createByteRateLimit(maxRate, beside?.processes),
    shared: createSharedSlices(),
    texts: new TextBudget(options.textBytes ?? DEFAULT_TEXT_BYTES),
    maxOpenAhead: options.maxOpenAhead ?? Math.min(availableParallelism(), MAX_OPEN_AHEAD),
    bufferBytes: options.bufferBytes ?? DEFAULT_BUFFER_BYTES,
    writeBytes: options.writeBytes,
    fetchMutex: beside?.mutex,
    emit,
    signal,
  };
}

/** Memory budget that all replays of a process share: for text of slices read ahead, and for large buffers. */
export class TextBudget {
  /** Size of the whole budget. */
  readonly bytes: number;
  /** Free bytes; negative if more had to be reserved. */
  left: number;

  constructor(bytes: number) {
    this.bytes = bytes;
    this.left = bytes;
  }
}

/** The part of a budget that one reader has reserved. */
export class ReservedText {
  readonly #budget: TextBudget;
  #reserved = 0;
  #isClosed = false;

  constructor(budget: TextBudget) {
    this.#budget = budget;
  }

  get bytes(): number {
    return this.#reserved;
  }

  /** Reserves `bytes` if they are free. @returns whether they were. */
  tryReserve(bytes: number): boolean {
    if (this.#isClosed || bytes > this.#budget.left) return false;
    this.reserve(bytes);
    return true;
  }

  /** Reserves bytes that are already in memory, even beyond the budget. */
  reserve(bytes: number): void {
    if (this.#isClosed) return;
    this.#reserved += bytes;
    this.#budget.left -= bytes;
  }

  release(bytes: number): void {
    this.reserve(-bytes);
  }

  /** Releases everything; later reservations fail. */
  close(): void {
    this.release(this.#reserved);
    this.#isClosed = true;
  }
}
