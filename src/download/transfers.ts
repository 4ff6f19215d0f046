import pLimit, { type LimitFunction } from 'p-limit';
import { autoConcurrency, type Concurrency, fixedConcurrency } from '../transfer/concurrency.js';
import { createPause, type Pause } from '../transfer/pause.js';
import { createRateLimit, type RateLimit } from '../transfer/rate.js';
import type { Settled } from './file/settle.js';
import type { DownloadOptions } from './types.js';

/** What bounds the transfers of a run, or of several that work at the same time in one process and one folder. */
export interface Transfers {
  readonly concurrency: Concurrency;
  readonly limit: LimitFunction;
  readonly rate: RateLimit;
  readonly pause: Pause;
  /** By path, files that one of several runs brings just now: what becomes of them, undefined where it was broken off. */
  readonly underway: Map<string, Promise<Settled | undefined>>;
}

export function createTransfers({
  concurrency: wanted,
  maxRate,
}: Pick<DownloadOptions, 'concurrency' | 'maxRate'>): Transfers {
  const concurrency = wanted === 'auto' ? autoConcurrency(performance.now()) : fixedConcurrency(wanted);
  return {
    concurrency,
    limit: pLimit(Math.max(1, concurrency.limit)),
    rate: createRateLimit(maxRate),
    pause: createPause(),
    underway: new Map(),
  };
}
