import { Semaphore } from '../base/semaphore.js';

/** Memory in bytes that a file in flight needs in addition to the common part. */
export interface MemoryNeed {
  /** For incomplete batches of conversions. */
  readonly batches: number;
  /** For buffered parts of uploads. */
  readonly uploads: number;
}

/** Limits the memory of all files in flight, in the order of their requests. */
export interface MemoryBudget {
  /** @returns releases the memory; may be called more than once. @throws the reason of an abort. */
  acquire(need: MemoryNeed, signal: AbortSignal): Promise<() => void>;
}

/** Budget of batches over all conversions: 20 of trades, or 5 of books with 25 levels. */
const BATCH_MEMORY_BYTES = 170_000_000;
/** Budget of buffered parts over all uploads: 20 uploads of 12 MiB. */
const UPLOAD_BUDGET_BYTES = 240 * 1024 ** 2;

export function createMemoryBudget(): MemoryBudget {
  const batches = new Semaphore(BATCH_MEMORY_BYTES);
  const uploads = new Semaphore(UPLOAD_BUDGET_BYTES);
  return {
    // A file with upload memory waits for nothing else, so no two files wait for each other.
    async acquire(need, signal) {
      const releaseBatches = need.batches > 0 ? await batches.acquire(need.batches, signal) : undefined;
      try {
        const releaseUploads = need.uploads > 0 ? await uploads.acquire(need.uploads, signal) : undefined;
        return () => {
          releaseBatches?.();
          releaseUploads?.();
        };
      } catch (error) {
        releaseBatches?.();
        throw error;
      }
    },
  };
}
