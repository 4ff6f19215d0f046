import type { TransferSlot } from '../../transfer/transfer-pool.js';
import type { PlannedFile } from '../download-options.js';
import type { TransferContext } from './transfer-context.js';

/**
 * Waits for a transfer slot and for the memory of a day file, so that no open connection waits for memory.
 * @param isWritten whether the day file itself is written, in addition to its conversions.
 * @returns releases the memory; may be called more than once. @throws the reason of an abort.
 */
export async function acquireSlotAndMemory(
  { destination, conversions, memory, signal }: TransferContext,
  planned: PlannedFile,
  slot: TransferSlot,
  isWritten: boolean,
): Promise<() => void> {
  const files = planned.outputs.length + (isWritten ? 1 : 0);
  const need = {
    batches: conversions?.batchBytes(planned) ?? 0,
    uploads: files * destination.uploadMemoryBytes,
  };
  // An upload keeps its memory while it waits for its next slot, so never hold a slot while waiting for
  // memory.
  if (need.uploads > 0) slot.release();
  else await slot.acquire();
  const releaseMemory = await memory.acquire(need, signal);
  await slot.acquire();
  return releaseMemory;
}
