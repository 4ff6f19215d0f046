import { UPLOAD_MEMORY_BYTES } from '../store/s3/part-size.js';
import { createWeightedSemaphore } from './weighted-semaphore.js';

/** Bytes that a file under way takes, beside what every one does. */
export interface MemoryNeed {
  /** Of batches that conversions are in the middle of. */
  readonly batches: number;
  /** Of what is gathered on its way to a store. */
  readonly uploads: number;
}

/** Bounds what the files under way take together, in the order they ask. */
export interface MemoryBudget {
  /** @returns gives the room back; may be called more than once. @throws the reason of an abort. */
  acquire(need: MemoryNeed, signal: AbortSignal): Promise<() => void>;
}

/** Bytes of batches in the making, over all conversions: 20 of trades, 5 of books of 25 levels. */
const BATCH_MEMORY_BYTES = 170_000_000;
/** Bytes on their way to a store, over all uploads. */
const UPLOAD_BUDGET_BYTES = 20 * UPLOAD_MEMORY_BYTES;

export function createMemoryBudget(): MemoryBudget {
  const batches = createWeightedSemaphore(BATCH_MEMORY_BYTES);
  const uploads = createWeightedSemaphore(UPLOAD_BUDGET_BYTES);
  return {
    // Who has room for uploads waits for nothing more, so that no two wait for each other.
    async acquire(need, signal) {
      const leaveBatches = need.batches > 0 ? await batches.acquire(need.batches, signal) : undefined;
      try {
        const leaveUploads = need.uploads > 0 ? await uploads.acquire(need.uploads, signal) : undefined;
        return () => {
          leaveBatches?.();
          leaveUploads?.();
        };
      } catch (error) {
        leaveBatches?.();
        throw error;
      }
    },
  };
}
