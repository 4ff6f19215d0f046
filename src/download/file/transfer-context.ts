import type { EventSink } from '../../run/run-events.js';
import type { ServiceClient } from '../../service/http/service-client.js';
import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { ByteRateLimit } from '../../transfer/byte-rate-limit.js';
import type { Concurrency } from '../../transfer/concurrency.js';
import type { Pause } from '../../transfer/pause.js';
import type { TransferSlot } from '../../transfer/transfer-pool.js';
import type { ArrivalAudits } from '../conversion/arrival-audits.js';
import type { Conversions } from '../conversion/conversions.js';
import type { PlannedFile } from '../download-options.js';
import type { MemoryBudget } from '../memory-budget.js';
import type { RecordWriter } from '../record-writer.js';

/** Shared by the transfers of one run. */
export interface TransferContext {
  readonly client: ServiceClient;
  readonly destination: Destination;
  /** Existing records. */
  readonly manifest: Pick<Manifest, 'get'>;
  readonly recording: RecordWriter;
  /** Makes the names of part files unique to this run if another run works in the same folder. */
  readonly partSuffix: string | undefined;
  readonly retries: number;
  readonly maxWaitMs: number;
  readonly rate: ByteRateLimit;
  readonly pause: Pause;
  readonly concurrency: Concurrency;
  readonly memory: MemoryBudget;
  /** Undefined if nothing is converted. */
  readonly conversions: Conversions | undefined;
  /** Undefined if nothing is audited. */
  readonly audits: ArrivalAudits | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

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
