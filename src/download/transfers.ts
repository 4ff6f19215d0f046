import pLimit, { type LimitFunction } from 'p-limit';
import type { TurnTaking } from '../base/turns.js';
import { autoConcurrency, type Concurrency, fixedConcurrency } from '../transfer/concurrency.js';
import { createPause, type Pause } from '../transfer/pause.js';
import { createRateLimit, type RateLimit } from '../transfer/rate.js';
import type { Underway } from './file/settle.js';
import { createMemory, type Memory } from './memory.js';
import type { DownloadOptions } from './types.js';

/** What bounds the transfers of a run, or of several that work at the same time in one process and one folder. */
export interface Transfers extends Underway {
  readonly concurrency: Concurrency;
  readonly limit: LimitFunction;
  readonly rate: RateLimit;
  readonly pause: Pause;
  readonly memory: Memory;
}

/** @param turns where several processes work in one folder. */
export function createTransfers(
  { concurrency: wanted, maxRate }: Pick<DownloadOptions, 'concurrency' | 'maxRate'>,
  turns?: TurnTaking,
): Transfers {
  const concurrency = wanted === 'auto' ? autoConcurrency(performance.now()) : fixedConcurrency(wanted);
  return {
    concurrency,
    limit: pLimit(Math.max(1, concurrency.limit)),
    rate: createRateLimit(maxRate),
    pause: createPause(),
    memory: createMemory(),
    underway: new Map(),
    turns,
  };
}
