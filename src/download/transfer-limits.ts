import type { ProcessGroup } from '../base/semaphore.js';
import { Semaphore } from '../base/semaphore.js';
import { type ByteRateLimit, createByteRateLimit } from '../transfer/byte-rate-limit.js';
import { type Concurrency, createConcurrency } from '../transfer/concurrency.js';
import { createPause, type Pause } from '../transfer/pause.js';
import type { DownloadSettings } from './download-options.js';
import type { FolderCoordination } from './file/process-file.js';
import { createMemoryBudget, type MemoryBudget } from './memory-budget.js';

/** Limits of the transfers of one run, or of several concurrent runs in one process and folder. */
export interface TransferLimits extends FolderCoordination {
  readonly concurrency: Concurrency;
  readonly slots: Semaphore;
  readonly rate: ByteRateLimit;
  readonly pause: Pause;
  readonly memory: MemoryBudget;
}

/** @param beside set if several processes work in one folder. */
export function createTransferLimits(
  { concurrency: configured, maxRate }: Pick<DownloadSettings, 'concurrency' | 'maxRate'>,
  processGroup?: ProcessGroup,
): TransferLimits {
  const concurrency = createConcurrency(configured, { processes: processGroup?.processes });
  return {
    concurrency,
    slots: new Semaphore(Math.max(1, concurrency.limit)),
    rate: createByteRateLimit(maxRate, processGroup?.processes),
    pause: createPause(),
    memory: createMemoryBudget(),
    filesInFlight: new Map(),
    pathMutex: processGroup?.mutex,
  };
}
