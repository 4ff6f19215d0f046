import pLimit, { type LimitFunction } from 'p-limit';
import type { SideBySide } from '../base/turns.js';
import { type Concurrency, createConcurrency } from '../transfer/concurrency.js';
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

/** @param beside where several processes work in one folder. */
export function createTransfers(
  { concurrency: wanted, maxRate }: Pick<DownloadOptions, 'concurrency' | 'maxRate'>,
  beside?: SideBySide,
): Transfers {
  const concurrency = createConcurrency(wanted, { processes: beside?.processes });
  return {
    concurrency,
    limit: pLimit(Math.max(1, concurrency.limit)),
    rate: createRateLimit(maxRate, beside?.processes),
    pause: createPause(),
    memory: createMemory(),
    underway: new Map(),
    turns: beside?.turns,
  };
}
