import { formatDay, parseDay } from '../day-files/day.js';
import type { DownloadSettings } from '../download/download-options.js';
import { createDownloadPlan, type DownloadPlan } from '../download/plan/create-download-plan.js';
import { runDownloadJobs } from '../download/run-download-jobs.js';
import { createTransferLimits, type TransferLimits } from '../download/transfer-limits.js';
import type { EventSink, FileEvent, RunSummary } from '../events/run-events.js';
import type { Pause } from '../http/retry-policy.js';
import { type CanRequest, fetchKeyCoverage, type KeyCoverage } from '../service/key-coverage.js';
import type { ServiceClient } from '../service/service-client.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { FolderPool, type OpenDestination, type OpenFolder } from './folder-pool.js';
import { type SliceJob, toDownloadOptions, toPlanInputs } from './slice-job.js';

export interface SliceWorkInput {
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
        const transfers = resources.getTransferLimits(job.options);
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

export interface PlanSliceInput {
  readonly job: SliceJob;
  readonly folder: Pick<OpenFolder, 'destination'>;
  readonly canRequest: CanRequest;
  readonly options: DownloadSettings;
  readonly emit: EventSink;
  /** Aborts the work at once. */
  readonly signal: AbortSignal;
}

export interface SliceInput extends PlanSliceInput {
  readonly folder: OpenFolder;
  readonly client: ServiceClient;
  /** Limits of all slices of this worker, with the pause of all workers. */
  readonly transfers: TransferLimits;
  /** Ends the work after the files in flight. */
  readonly stopStarting: AbortSignal;
}

export interface SliceResult {
  readonly summary: RunSummary;
  /** Files that failed. */
  readonly failed: readonly FileEvent[];
}

/** Downloads the missing files of a slice, as `download` would. @throws TickhaulError if a download cannot start. */
export function runSlice(input: SliceInput): Promise<SliceResult> {
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
export function formatFailures(failed: readonly FileEvent[]): string {
  const days = failed.flatMap(({ file }) => (file ? [formatDay(file.day)] : [])).sort();
  const more = days.length > MAX_DAYS_SHOWN ? ` and ${days.length - MAX_DAYS_SHOWN} more` : '';
  return `${days.slice(0, MAX_DAYS_SHOWN).join(', ')}${more}: ${failed[0]?.error?.message ?? 'failed'}`;
}

/** Resources that the slices of one worker share, each created on first use. */
export class SliceResources {
  readonly #client: ServiceClient;
  readonly #pause: Pause;
  readonly #warn: (message: string) => void;
  readonly #stopStarting: AbortSignal;
  readonly #transfers = new Map<string, TransferLimits>();
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

  /** Slices with the same limits share them. */
  getTransferLimits({ concurrency, maxRate }: SliceJob['options']): TransferLimits {
    const key = `${concurrency} ${maxRate}`;
    const cached = this.#transfers.get(key) ?? {
      ...createTransferLimits({ concurrency, maxRate }),
      pause: this.#pause,
    };
    this.#transfers.set(key, cached);
    return cached;
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
