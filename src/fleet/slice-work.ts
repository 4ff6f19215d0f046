import { type FileError, judgeError, TickhaulError } from '../base/errors.js';
import { formatDay, parseDay } from '../day-files/day.js';
import type { DownloadSettings } from '../download/download-options.js';
import { createDownloadPlan, type DownloadPlan } from '../download/plan/create-download-plan.js';
import { runDownloadJobs } from '../download/run-download-jobs.js';
import { createTransferLimits, type TransferLimits } from '../download/shared-run.js';
import type { EventSink, FileEvent, RunSummary } from '../events/run-events.js';
import type { Pause } from '../http/retry-policy.js';
import { type CanRequest, fetchKeyCoverage, type KeyCoverage } from '../service/key-coverage.js';
import type { ServiceClient } from '../service/service-client.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { FolderPool, type OpenDestination, type OpenFolder } from './folder-pool.js';
import { destinationKey, readSlice, type SliceJob, toDownloadOptions, toPlanInputs } from './slice-job.js';
import type { Slice } from './split-into-slices.js';

interface SliceWorkInput {
  readonly client: ServiceClient;
  readonly openDestination: OpenDestination;
  readonly owner: () => LockOwner;
  /** Threads for conversions. */
  readonly threads: number;
}

/** Creates the work of a queue: downloads the missing files of each slice to their destination. */
export function createSliceWork({ client, openDestination, owner, threads }: SliceWorkInput) {
  return ({ pause, emit, stopStarting }: SliceWorkContext): SliceWork => {
    const warn = (message: string): void => emit({ event: 'warning', message });
    const resources = new SliceResources(client, { pause, stopStarting }, warn);
    const folders = new FolderPool(openDestination, owner, warn, stopStarting);
    return {
      async run(job, signal) {
        const { canRequest } = await resources.getKeyCoverage();
        const transfers = resources.getTransferLimits(job);
        return folders.use(job, (folder) =>
          runSlice({
            job,
            folder,
            client,
            canRequest,
            options: toDownloadOptions(job, threads),
            transfers,
            emit,
            signal,
            stopStarting,
          }),
        );
      },
      close: () => folders.close(),
    };
  };
}

/** The work that a worker does with its slices. */
export interface SliceWork {
  /**
   * Processes one slice.
   * @param signal aborts the work at once.
   * @throws TickhaulError if the work cannot start; the reason of an abort.
   */
  run(job: SliceJob, signal: AbortSignal): Promise<SliceResult>;
  /** Call it when no further slice follows. */
  close(): Promise<void>;
}

/** What the worker provides to the work on its slices. */
export interface SliceWorkContext {
  /** Pause of all workers of the queue. */
  readonly pause: Pause;
  readonly emit: EventSink;
  /** Ends all work after the files in flight. */
  readonly stopStarting: AbortSignal;
}

interface PlanSliceInput {
  readonly job: SliceJob;
  readonly folder: Pick<OpenFolder, 'destination'>;
  readonly canRequest: CanRequest;
  readonly options: DownloadSettings;
  readonly emit: EventSink;
  /** Aborts the work at once. */
  readonly signal: AbortSignal;
}

interface SliceInput extends PlanSliceInput {
  readonly folder: OpenFolder;
  readonly client: ServiceClient;
  /** Limits of all slices of this worker, with the pause of all workers. */
  readonly transfers: TransferLimits;
  /** Ends the work after the files in flight. */
  readonly stopStarting: AbortSignal;
}

export interface SliceResult {
  readonly summary: RunSummary;
  readonly failed: readonly FileEvent[];
}

/** Downloads the missing files of a slice, as `download` would. @throws TickhaulError if a download cannot start. */
function runSlice(input: SliceInput): Promise<SliceResult> {
  const { exchange, dataType, from, to } = input.job;
  const scope = { exchanges: [exchange], dataTypes: [dataType], from: parseDay(from), to: parseDay(to) };
  return input.folder.withManifest(scope, (manifest) => downloadSlice(manifest, input));
}

/** Plans the files of a slice. @throws errors of the destination. */
export function planSlice(
  manifest: Manifest,
  { job, folder, canRequest, options, emit, signal }: PlanSliceInput,
): Promise<DownloadPlan> {
  const { destination } = folder;
  const warn = (message: string): void => emit({ event: 'warning', message });
  return createDownloadPlan({
    ...toPlanInputs(job),
    manifest,
    destination,
    options,
    warn,
    mayRead: canRequest,
    signal,
  });
}

async function downloadSlice(manifest: Manifest, input: SliceInput): Promise<SliceResult> {
  const { folder, client, options, transfers, emit, stopStarting } = input;
  const { destination, partSuffix, lost } = folder;
  const plan = await planSlice(manifest, input);
  const failed: FileEvent[] = [];
  const onEvent: EventSink = (event) => {
    if (event.event === 'file' && event.status === 'failed') failed.push(event);
    emit(event);
  };
  const signal = lost ? AbortSignal.any([input.signal, lost]) : input.signal;
  const [summary] = await runDownloadJobs(
    {
      place: { destination, manifest, partSuffix },
      options,
      transfers,
      isPart: true,
      emit: onEvent,
      signal,
      stopStarting,
    },
    [{ plan, client }],
  );
  if (!summary) throw new Error('a run without a summary');
  return { summary, failed };
}

const MAX_DAYS_SHOWN = 5;

/** The days of the failed files, and the error of the first: the error message of a slice. */
function formatFailures(failed: readonly FileEvent[]): string {
  const days = failed.flatMap(({ file }) => (file ? [formatDay(file.day)] : [])).sort();
  const more = days.length > MAX_DAYS_SHOWN ? ` and ${days.length - MAX_DAYS_SHOWN} more` : '';
  return `${days.slice(0, MAX_DAYS_SHOWN).join(', ')}${more}: ${failed[0]?.error?.message ?? 'failed'}`;
}

/** Resources that the slices of one worker share, each created on first use. */
class SliceResources {
  readonly #client: ServiceClient;
  readonly #pause: Pause;
  readonly #warn: (message: string) => void;
  readonly #stopStarting: AbortSignal;
  readonly #transfers = new Map<string, TransferLimits>();
  readonly #filesInFlight = new Map<string, TransferLimits['filesInFlight']>();
  #keyCoverage: Promise<KeyCoverage> | undefined;

  constructor(
    client: ServiceClient,
    { pause, stopStarting }: Pick<SliceWorkContext, 'pause' | 'stopStarting'>,
    warn: (message: string) => void,
  ) {
    this.#client = client;
    this.#pause = pause;
    this.#warn = warn;
    this.#stopStarting = stopStarting;
  }

  /** Slices with the same limits share them, and slices of the same folder their files in flight. */
  getTransferLimits(job: SliceJob): TransferLimits {
    const { concurrency, maxRate } = job.options;
    const key = `${concurrency} ${maxRate}`;
    const cached = this.#transfers.get(key) ?? createTransferLimits({ concurrency, maxRate });
    this.#transfers.set(key, cached);
    const folder = destinationKey(job);
    const filesInFlight = this.#filesInFlight.get(folder) ?? new Map();
    this.#filesInFlight.set(folder, filesInFlight);
    return { ...cached, pause: this.#pause, filesInFlight };
  }

  /** Requested once: a changed key requires a new worker. */
  getKeyCoverage(): Promise<KeyCoverage> {
    const cached = this.#keyCoverage ?? fetchKeyCoverage(this.#client, this.#stopStarting, this.#warn);
    this.#keyCoverage = cached;
    cached.catch(() => {
      this.#keyCoverage = undefined;
    });
    return cached;
  }
}

/** What happens to a slice and its worker. */
interface SliceOutcome {
  readonly status: SliceStatus;
  readonly reason?: TickhaulError | undefined;
  /** Whether any other slice would fail for this worker as well. */
  readonly endsWorker?: boolean | undefined;
  /** Milliseconds for which slices would fail for any worker, so that all pause. A worker that may wait need not end. */
  readonly pauseAllMs?: number | undefined;
  /** Milliseconds before the slice is returned, since it would fail for the next worker until then. */
  readonly returnDelayMs?: number | undefined;
}

/** Delay between attempts while another run locks the destination exclusively. */
const LOCKED_DELAY_MS = 30_000;

/** Outcome of a slice that is complete by an older plan than that in the queue, which may include more days. */
export const NEWER_PLAN: SliceOutcome = {
  status: 'returned',
  reason: new TickhaulError('changed', 'enqueue has replaced its plan'),
};

/**
 * Decides what follows from the end of a slice (docs/spec/queue.md#workers).
 * @param result the slice's result, or the error with which it ended.
 * @param isStopped whether the worker was stopped or asked to return its slices meanwhile.
 */
export function decideSliceOutcome(
  result: SliceResult | TickhaulError,
  job: Pick<SliceJob, 'unauthorized' | 'options'>,
  isStopped: boolean,
): SliceOutcome {
  const { unauthorized: uncoveredFiles = 0 } = job;
  if (result instanceof TickhaulError) return decideErrorOutcome(result, job, isStopped);
  const { summary, failed } = result;
  if ((summary.counts.unauthorized ?? 0) > uncoveredFiles) {
    const reason = new TickhaulError(
      'bad_key',
      "this worker's API key does not cover a slice; set TICKHAUL_API_KEY to one that does",
    );
    return { status: 'returned', reason, endsWorker: true };
  }
  if (summary.error) {
    const { code, message, ...details } = summary.error;
    return decideErrorOutcome(new TickhaulError(code, message, details), job, isStopped);
  }
  if (failed.length > 0) {
    return {
      status: 'failed',
      reason: new TickhaulError(failed[0]?.error?.code ?? 'mixed', formatFailures(failed)),
    };
  }
  return isStopped && summary.unfinished > 0 ? { status: 'returned' } : { status: 'done' };
}

function decideErrorOutcome(
  reason: TickhaulError,
  { options: { maxWaitMs } }: Pick<SliceJob, 'options'>,
  isStopped: boolean,
): SliceOutcome {
  const { code, retryAfterMs = 0 } = reason;
  if (isStopped) return { status: 'returned', reason };
  // Another run took the folder's lock or locks a store exclusively. The next worker opens the destination again.
  if (code === 'locked') return { status: 'returned', reason, returnDelayMs: LOCKED_DELAY_MS };
  const { affectsRun, isCongestion } = judgeError(reason);
  if (isCongestion && retryAfterMs > maxWaitMs)
    return { status: 'returned', reason, endsWorker: true, pauseAllMs: retryAfterMs };
  // After a shorter limit, this worker may continue with other slices.
  if (affectsRun && !isCongestion) return { status: 'returned', reason, endsWorker: true };
  return { status: 'failed', reason };
}

/** Result of a slice; a `returned` slice is left to another worker. */
export type SliceStatus = 'done' | 'failed' | 'returned';

export interface SliceEvent extends Slice {
  readonly event: 'slice';
  readonly id: string;
  readonly status: SliceStatus;
  /** Number of downloaded files, and of files that existed. */
  readonly downloaded: number;
  readonly skipped: number;
  readonly bytes: number;
  /** Failed attempts, including this one. */
  readonly attempts: number;
  /** Why the slice failed or was returned. */
  readonly error?: string | undefined;
}

/** Events of a worker (docs/spec/queue.md#events). */
export type WorkerEvent =
  | SliceEvent
  | { readonly event: 'warning'; readonly message: string }
  | { readonly event: 'note'; readonly message: string };

export interface WorkerSummary {
  readonly exitCode: number;
  readonly done: number;
  /** Failed attempts of slices. */
  readonly failed: number;
  readonly returned: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly error?: FileError | undefined;
}

/** @param result the slice's result or error. @param reason why the slice failed or was returned. */
export function createSliceEvent(
  job: { readonly id?: string | undefined; readonly data: unknown; readonly attemptsMade: number },
  status: SliceStatus,
  result: SliceResult | TickhaulError,
  reason: TickhaulError | undefined,
): SliceEvent {
  const { counts = {}, bytes = 0 } = result instanceof TickhaulError ? {} : result.summary;
  return {
    event: 'slice',
    id: job.id ?? '',
    status,
    ...readSlice(job.data),
    downloaded: counts.downloaded ?? 0,
    skipped: (counts.skipped ?? 0) + (counts.verified ?? 0),
    bytes,
    attempts: job.attemptsMade + (status === 'returned' ? 0 : 1),
    ...(status !== 'done' && reason && { error: reason.message }),
  };
}
