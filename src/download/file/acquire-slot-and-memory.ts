import type { TransferSlot } from '../../transfer/transfer-pool.js';
import type { PlannedFile } from '../download-options.js';
import type { TransferContext } from './transfer-context.js';

/**
 * Waits for a place, and for the memory that a day file needs, so that no connection is kept waiting for it.
 * @param isWritten whether the file itself is brought to its destination, beside what is made of it.
 * @returns gives the memory back; may be called more than once. @throws the reason of an abort.
 */
export async function acquireSlotAndMemory(
  { destination, conversions, memory, signal }: TransferContext,
  planned: PlannedFile,
  place: TransferSlot,
  isWritten: boolean,
): Promise<() => void> {
  const files = planned.outputs.length + (isWritten ? 1 : 0);
  const need = {
    batches: conversions?.batchBytes(planned) ?? 0,
    uploads: files * destination.partBytes,
  };
  // On its way to a store a file keeps its memory while it waits for its next place: so nobody waits for memory with one.
  if (need.uploads > 0) place.release();
  else await place.acquire();
  const giveBack = await memory.acquire(need, signal);
  await place.acquire();
  return giveBack;
}
