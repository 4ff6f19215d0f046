import type { TickhaulError } from '../base/errors.js';
import { type KeyedMutex, type ProcessGroup, Semaphore } from '../base/semaphore.js';
import type { EventSink, FileEvent } from '../events/run-events.js';
import {
  type ByteRateLimit,
  type Concurrency,
  createByteRateLimit,
  createConcurrency,
} from '../http/concurrency.js';
import { createPause, type Pause } from '../http/retry-policy.js';
import type { TransferSlot } from '../http/transfer-pool.js';
import type { ServiceClient } from '../service/service-client.js';
import type { RunPlace } from '../store/destination.js';
import type { ArrivalWork } from './conversion/arrival-work.js';
import type { DownloadSettings, PlannedFile } from './download-options.js';

/** Result of one planned file; `reason` is set if it failed. */
export interface FileResult {
  readonly event: FileEvent;
  /** Events of its conversions, if they are reported separately. */
  readonly conversionEvents?: readonly FileEvent[];
  readonly reason?: TickhaulError;
}

/** Limits of the transfers of one run, or of several concurrent runs in one process and folder. */
export interface TransferLimits {
  readonly concurrency: Concurrency;
  readonly slots: Semaphore;
  readonly rate: ByteRateLimit;
  readonly pause: Pause;
  readonly memory: MemoryBudget;
  /** Files being processed, by path; a result is undefined after an abort. */
  readonly filesInFlight: Map<string, Promise<FileResult | undefined>>;
  /** Lock by path, if other processes work in the same folder. */
  readonly pathMutex?: KeyedMutex | undefined;
}

/** @param processGroup set if several processes work in one folder. */
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

/** Memory in bytes that a file in flight needs in addition to the common part. */
interface MemoryNeed {
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

function createMemoryBudget(): MemoryBudget {
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
