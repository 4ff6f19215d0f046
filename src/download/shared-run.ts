import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import type { TickhaulError } from '../base/errors.js';
import { type KeyedMutex, type ProcessGroup, Semaphore } from '../base/semaphore.js';
import type { EventSink, FileEvent } from '../events/run-events.js';
import type { KeyProblem } from '../events/run-tally.js';
import {
  type ByteRateLimit,
  type Concurrency,
  createByteRateLimit,
  createConcurrency,
} from '../http/concurrency.js';
import { createPause, type Pause } from '../http/retry-policy.js';
import { createTransferPool, type TransferPool, type TransferSlot } from '../http/transfer-pool.js';
import type { ServiceClient } from '../service/service-client.js';
import type { RunPlace } from '../store/destination.js';
import type { ArrivalAudits } from './conversion/arrival-audits.js';
import { type ArrivalWork, createConvertThreads } from './conversion/arrival-work.js';
import { createConversions } from './conversion/conversions.js';
import type { ConvertSetting, DownloadSettings, PlannedFile } from './download-options.js';
import type { CountedPlan } from './plan/create-download-plan.js';
import type { AskForSpace } from './plan/report-plan.js';

/** A plan, and the client that downloads its files. */
export interface DownloadJob {
  /** Reported with each file if there are several jobs. */
  readonly name?: string | undefined;
  readonly plan: CountedPlan;
  /** Paths, directly after the probes in the plan, to process before the other files of all jobs. */
  readonly urgent?: ReadonlySet<string> | undefined;
  readonly client: ServiceClient;
  /** Why the API key covers no day but the free ones, for the summary. */
  readonly keyProblem?: KeyProblem | undefined;
  /** Whether the audits of the run leave out its files. */
  readonly isUnaudited?: boolean | undefined;
  /** Paths of a lock file, if any other day file in the folder makes the job fail. */
  readonly lockedPaths?: { has(path: string): boolean } | undefined;
}

export interface DownloadJobsInput {
  readonly place: RunPlace;
  /** Limits of all jobs together. */
  readonly options: Pick<DownloadSettings, 'concurrency' | 'maxRate'>;
  /** Shared with other runs of this process; undefined for a single run. */
  readonly transfers?: TransferLimits | undefined;
  /** Undefined if nothing is audited. */
  readonly audits?: ArrivalAudits | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
  /** After its abort no file is started, and files in flight are finished. */
  readonly stopStarting?: AbortSignal | undefined;
  readonly askForSpace?: AskForSpace | undefined;
  /** Whether the plans are slices of a queue, of which no plan event is emitted. */
  readonly isPart?: boolean | undefined;
}

/** Shared by the jobs of one run. */
export interface DownloadContext extends Omit<DownloadJobsInput, 'transfers'> {
  readonly pool: TransferPool;
  readonly transfers: TransferLimits;
  /** Whether other runs of this process may process the same files, in the same way. */
  readonly sharesFolder: boolean;
  /**
   * Set if several jobs, or slices of a queue, may have the same file, perhaps with other conversions: start of the run,
   * in milliseconds since the epoch.
   */
  readonly jobsStartedMs: number | undefined;
  /** Stops all jobs, for an error that affects every file. */
  readonly stop: AbortController;
  /** Aborted by the caller or by `stop`. */
  readonly stopped: AbortSignal;
  /** Jobs with the same setting share its threads. @param isUnaudited whether the audits leave out the files. */
  workFor(setting: ConvertSetting | undefined, isUnaudited?: boolean): ArrivalWork;
}

/** Creates the state that jobs share. @param jobs number of jobs. */
export function openSharedRun(input: DownloadJobsInput, jobs: number): DownloadContext {
  const { place, options, signal } = input;
  const transfers = input.transfers ?? createTransferLimits(options);
  const works = new Map<string | undefined, ArrivalWork>();
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  // Many listeners are expected: each file in flight adds one.
  setMaxListeners(0, signal, stopped);
  // The manifest batches records. No other record follows while all files wait for theirs.
  const flush = (): void => void place.manifest.flush();
  const pool = createTransferPool(transfers.concurrency, stopped, transfers.slots, flush);
  const emit: EventSink = (event) => {
    input.emit(event);
    if (event.event === 'progress') pool.updateLimit();
  };
  const openWork = (setting: ConvertSetting | undefined): ArrivalWork => ({
    threads: createConvertThreads(setting?.threads ?? availableParallelism(), place.destination.settings),
    conversions: setting && createConversions(setting, place.destination, place.partSuffix, emit),
    audits: input.audits,
  });
  return {
    ...input,
    emit,
    pool,
    transfers,
    sharesFolder: input.transfers !== undefined && !input.isPart,
    jobsStartedMs: jobs > 1 || input.isPart ? Date.now() : undefined,
    stop,
    stopped,
    workFor(setting, isUnaudited) {
      const key = setting && JSON.stringify(setting);
      const work = works.get(key) ?? openWork(setting);
      works.set(key, work);
      return isUnaudited ? { ...work, audits: undefined } : work;
    },
  };
}

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
interface MemoryBudget {
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
