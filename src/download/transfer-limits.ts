import pLimit, { type LimitFunction } from 'p-limit';
import type { ProcessGroup } from '../base/keyed-mutex.js';
import { type Concurrency, createConcurrency } from '../transfer/concurrency.js';
import { createPause, type Pause } from '../transfer/pause.js';
import { createRateLimit, type RateLimit } from '../transfer/rate-limit.js';
import type { DownloadOptions } from './download-options.js';
import type { FolderCoordination } from './file/process-file.js';
import { createMemoryBudget, type MemoryBudget } from './memory-budget.js';

/** What bounds the transfers of a run, or of several that work at the same time in one process and one folder. */
export interface TransferLimits extends FolderCoordination {
  readonly concurrency: Concurrency;
  readonly limit: LimitFunction;
  readonly rate: RateLimit;
  readonly pause: Pause;
  readonly memory: MemoryBudget;
}

/** @param beside where several processes work in one folder. */
export function createTransferLimits(
  { concurrency: wanted, maxRate }: Pick<DownloadOptions, 'concurrency' | 'maxRate'>,
  beside?: ProcessGroup,
): TransferLimits {
  const concurrency = createConcurrency(wanted, { processes: beside?.processes });
  return {
    concurrency,
    limit: pLimit(Math.max(1, concurrency.limit)),
    rate: createRateLimit(maxRate, beside?.processes),
    pause: createPause(),
    memory: createMemoryBudget(),
    filesInFlight: new Map(),
    pathMutex: beside?.mutex,
  };
}
