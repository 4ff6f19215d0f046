import { UPLOAD_BYTES } from '../store/s3/part-size.js';
import { createSlots } from './slots.js';

/** Bytes that a file under way takes, beside what every one does. */
export interface MemoryNeed {
  /** Of batches that conversions are in the middle of. */
  readonly batches: number;
  /** Of what is gathered on its way to a store. */
  readonly uploads: number;
}

/** Bounds what the files under way take together, in the order they ask. */
export interface Memory {
  /** @returns gives the room back; may be called more than once. @throws the reason of an abort. */
  take(need: MemoryNeed, signal: AbortSignal): Promise<() => void>;
}

/** Bytes of batches in the making, over all conversions: 20 of trades, 5 of books of 25 levels. */
const BATCH_MEMORY = 170_000_000;
/** Bytes on their way to a store, over all uploads. */
const UPLOAD_MEMORY = 20 * UPLOAD_BYTES;

export function createMemory(): Memory {
  const batches = createSlots(BATCH_MEMORY);
  const uploads = createSlots(UPLOAD_MEMORY);
  return {
    // Who has room for uploads waits for nothing more, so that no two wait for each other.
    async take(need, signal) {
      const leaveBatches = need.batches > 0 ? await batches.take(need.batches, signal) : undefined;
      try {
        const leaveUploads = need.uploads > 0 ? await uploads.take(need.uploads, signal) : undefined;
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
