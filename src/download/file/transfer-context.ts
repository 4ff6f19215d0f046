import type { EventSink } from '../../events/run-events.js';
import type { ByteRateLimit } from '../../http/byte-rate-limit.js';
import type { TransferSlot } from '../../http/transfer-pool.js';
import type { ServiceClient } from '../../service/http/service-client.js';
import type { RunPlace } from '../../store/destination.js';
import type { ArrivalWork } from '../conversion/arrival-work.js';
import type { PlannedFile } from '../download-options.js';
import type { TransferLimits } from '../transfer-limits.js';

/** Shared by the transfers of one job. */
export interface TransferContext {
  readonly place: RunPlace;
  readonly limits: TransferLimits;
  readonly client: ServiceClient;
  readonly retries: number;
  readonly maxWaitMs: number;
  /** The job's rate and that of the run. */
  readonly rate: ByteRateLimit;
  readonly work: ArrivalWork;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Waits for a transfer slot and for the memory of a day file, so that no open connection waits for memory.
 * @param isWritten whether the day file itself is written, in addition to its conversions.
 * @returns releases the memory; may be called more than once. @throws the reason of an abort.
 */
export async function acquireSlotAndMemory(
  { place: { destination }, limits: { memory }, work: { conversions }, signal }: TransferContext,
  planned: PlannedFile,
  slot: TransferSlot,
  isWritten: boolean,
): Promise<() => void> {
  const files = planned.outputs.length + (isWritten ? 1 : 0);
  const need = {
    batches: conversions?.batchBytes(planned) ?? 0,
    uploads: files * destination.uploadMemoryBytes,
  };
  // A file keeps its memory while it waits for its next slot, so never hold a slot while waiting for memory.
  if (need.batches > 0 || need.uploads > 0) slot.release();
  const releaseMemory = await memory.acquire(need, signal);
  await slot.acquire();
  return releaseMemory;
}
