import type { ProcessGroup } from '../base/keyed-mutex.js';
import type { EventSink } from '../run/run-events.js';
import type { ServiceClient } from '../service/http/service-client.js';
import { createConcurrency } from '../transfer/concurrency.js';
import { createPause } from '../transfer/pause.js';
import { createRateLimit } from '../transfer/rate-limit.js';
import { openSliceCache } from './cache/slice-cache.js';
import type { FeedRun } from './feed-run.js';
import { TextRoom } from './read/text-room.js';
import { createRequestQuota } from './request/request-quota.js';
import { createSharedSlices } from './request/shared-slices.js';

export interface FeedRunOptions {
  readonly client: ServiceClient;
  /** Holds `feeds`, the slices. */
  readonly cacheFolder: string;
  /** Bytes of all slices; undefined for no limit. */
  readonly cacheLimit: number | undefined;
  readonly offline: boolean;
  readonly concurrency: number | 'auto';
  readonly retries: number;
  readonly maxWaitMs: number;
  /** Bytes a second over all requests. */
  readonly maxRate?: number | undefined;
  /** Where other processes may fetch the same slices. */
  readonly beside?: ProcessGroup | undefined;
  /** Bytes of text that slices may hold in memory, of all replays together; left out, 192 MB. */
  readonly textBytes?: number | undefined;
  /** Bytes of each buffer that the messages of a replay pass through; left out, 256 KB. */
  readonly bufferBytes?: number | undefined;
  /** Bytes of one write of messages; left out, 512 KB. */
  readonly writeBytes?: number | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Slices are small: more of them at once pay off than of day files (replay facts, section 1). */
const SLICE_CONCURRENCY = { initial: 20, max: 60 };

const TEXT_BYTES = 192 * 1024 * 1024;
const BUFFER_BYTES = 256 * 1024;

/** What all requests of a run share; nothing is asked for yet. */
export function createFeedRun(options: FeedRunOptions): FeedRun {
  const { client, cacheFolder, cacheLimit, concurrency, maxRate, beside, emit } = options;
  const { offline, retries, maxWaitMs, signal } = options;
  const warn = (message: string): void => emit({ event: 'warning', message });
  return {
    client,
    cache: openSliceCache({ folder: cacheFolder, limit: cacheLimit, warn }),
    offline,
    retries,
    maxWaitMs,
    concurrency: createConcurrency(concurrency, { bounds: SLICE_CONCURRENCY, processes: beside?.processes }),
    pause: createPause(),
    quota: createRequestQuota(),
    rate: createRateLimit(maxRate, beside?.processes),
    shared: createSharedSlices(),
    texts: new TextRoom(options.textBytes ?? TEXT_BYTES),
    bufferBytes: options.bufferBytes ?? BUFFER_BYTES,
    writeBytes: options.writeBytes,
    turns: beside?.mutex,
    emit,
    signal,
  };
}
