import type { SideBySide } from '../base/turns.js';
import type { EventSink } from '../run/events.js';
import type { Client } from '../service/http/client.js';
import { createConcurrency } from '../transfer/concurrency.js';
import { createPause } from '../transfer/pause.js';
import { createRateLimit } from '../transfer/rate.js';
import { openSliceCache } from './cache/slice-cache.js';
import { createAllowance } from './request/allowance.js';
import { createSharedSlices } from './request/shared-slices.js';
import type { FeedRun } from './types.js';

export interface FeedOptions {
  readonly client: Client;
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
  readonly beside?: SideBySide | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Slices are small: more of them at once pay off than of day files (replay facts, section 1). */
const SLICES = { first: 20, most: 60 };

/** What all requests of a run share; nothing is asked for yet. */
export function createFeedRun(options: FeedOptions): FeedRun {
  const { client, cacheFolder, cacheLimit, concurrency, maxRate, beside, emit } = options;
  const { offline, retries, maxWaitMs, signal } = options;
  const warn = (message: string): void => emit({ event: 'warning', message });
  return {
    client,
    cache: openSliceCache({ folder: cacheFolder, limit: cacheLimit, warn }),
    offline,
    retries,
    maxWaitMs,
    concurrency: createConcurrency(concurrency, { bounds: SLICES, processes: beside?.processes }),
    pause: createPause(),
    allowance: createAllowance(),
    rate: createRateLimit(maxRate, beside?.processes),
    shared: createSharedSlices(),
    turns: beside?.turns,
    emit,
    signal,
  };
}
