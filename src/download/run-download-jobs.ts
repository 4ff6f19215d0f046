import { setMaxListeners } from 'node:events';
import { abortReason, judgeError, type TickhaulError } from '../base/errors.js';
import { secondsSince } from '../base/units.js';
import { onAbort, yieldToEventLoop } from '../base/wait.js';
import { DAY_FILE_EXTENSION } from '../day-files/day-file.js';
import type { FileEvent, FileStatus, FindingEvent, RunEvent, RunSummary } from '../events/run-events.js';
import { createRunTally } from '../events/run-tally.js';
import { type ByteRateLimit, createByteRateLimit } from '../http/concurrency.js';
import type { TransferSlot } from '../http/transfer-pool.js';
import { type Destination, joinOrReadOnly } from '../store/destination.js';
import { emitOtherRunNote, type LockOwner } from '../store/lock/run-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { isSystemPath } from '../store/stray-files.js';
import type { DownloadSettings, PlannedFile } from './download-options.js';
import { processFileOnce } from './file/process-file.js';
import { reportedOutputs } from './plan/planned-paths.js';
import { countPlan, FILES_BEFORE_YIELD, type PlanTotals, reportPlan } from './plan/report-plan.js';
import {
  type DownloadContext,
  type DownloadJob,
  type DownloadJobsInput,
  openSharedRun,
  type TransferContext,
} from './shared-run.js';

export interface DownloadPlanInput
  extends Omit<DownloadJobsInput, 'place' | 'options' | 'stopStarting' | 'isPart'>,
    Omit<DownloadJob, 'name' | 'urgent' | 'isUnaudited'> {
  readonly destination: Destination;
  /** Manifest of the destination; closed when the run ends. */
  readonly manifest: Manifest;
  /** Owner for the lock of the destination. */
  readonly owner: LockOwner;
}

/**
 * Downloads the files of one plan, in parallel with other runs if one of them holds the folder's lock.
 * @throws TickhaulError `disk`, also if a file must be downloaded to a read-only folder.
 */
export async function runDownloadPlan(input: DownloadPlanInput): Promise<RunSummary> {
  const startedAtMs = performance.now();
  const { destination, manifest, owner, emit } = input;
  const { release, lost, other, ...access } = await joinOrReadOnly(destination, () =>
    destination.joinRun(owner, { signal: input.signal }),
  );
  try {
    emitOtherRunNote(emit, destination.name, other);
    const signal = lost ? AbortSignal.any([input.signal, lost]) : input.signal;
    const place = { destination, manifest, ...access };
    const [summary] = await runDownloadJobs({ ...input, place, options: input.plan.options, signal }, [
      input,
    ]);
    if (!summary) throw new Error('a run without a summary');
    return {
      ...summary,
      ...(input.keyProblem === 'expired' && { keyExpired: true }),
      seconds: secondsSince(startedAtMs),
    };
  } finally {
    await manifest.close().finally(release);
  }
}

/**
 * Downloads the files of several plans through one pool: counts and reports the plans, then starts their files. Failed
 * files are reported as events. A failed job does not stop the others, unless its error affects every file.
 * @returns a summary for each job.
 * @throws TickhaulError `readOnly` if it is set and a file must be downloaded; `disk` if the user declines.
 */
export async function runDownloadJobs(
  input: DownloadJobsInput,
  jobs: readonly DownloadJob[],
): Promise<readonly RunSummary[]> {
  if (jobs.length === 0) return [];
  const shared = openSharedRun(input, jobs.length);
  const removeListener = onAbort(shared.stopped, () => input.place.manifest.flushSoon());
  const runs = jobs.map((job) => new JobDownload(shared, job));
  try {
    const totals = await Promise.all(runs.map((run) => run.count()));
    const plans = jobs.map(({ plan: { options } }, i) => ({ options, totals: totals[i] }));
    // A stopped run reports no plan, since its counts are not complete.
    const isCounted = totals.every((total) => total !== undefined);
    if (isCounted && !input.isPart) await reportPlan({ ...input, ...input.place }, plans);
    const { readOnly } = input.place;
    if (readOnly && totals.some((total) => (total?.volume.files ?? 0) > 0)) throw readOnly;
    const feeds = runs.map((run) => run.feed());
    // The first files of all jobs at once, then the urgent ones, then the rest.
    await Promise.all(feeds.map((feed) => feed.next()));
    for (const feed of feeds) await feed.next();
    for (const feed of feeds) await feed.next();
    await shared.pool.waitForIdle();
    for (const run of runs) await run.reportExtraFiles();
  } catch (error) {
    // The caller closes the manifest and releases the lock, so no file may be in flight after this.
    shared.stop.abort(error);
    await shared.pool.waitForIdle().catch(() => {});
    throw error;
  } finally {
    removeListener();
  }
  return runs.map((run) => run.summary());
}

/** Files that show whether the key has access: the others wait for their responses. */
const PROBE_COUNT = 2;

/** One job in the transfer pool that all jobs of a run share. */
class JobDownload {
  readonly #shared: DownloadContext;
  readonly #job: DownloadJob;
  readonly #context: TransferContext;
  readonly #runTally = createRunTally();
  readonly #stop = new AbortController();
  readonly #refusals: TickhaulError[] = [];
  /** Called at the first bytes of the first files, by path. */
  readonly #awaited = new Map<string, () => void>();
  #planned: PlanTotals | undefined;
  #reportedCount = 0;
  /** Whether all files were reported before the run was stopped. */
  #isDone = false;
  #notStarted = 0;
  #started = performance.now();
  #seconds = 0;

  constructor(shared: DownloadContext, job: DownloadJob) {
    const { client, plan } = job;
    const { options } = plan;
    const signal = AbortSignal.any([shared.stopped, this.#stop.signal]);
    setMaxListeners(0, signal);
    this.#shared = shared;
    this.#job = job;
    this.#context = {
      place: shared.place,
      limits: shared.transfers,
      client,
      retries: options.retries,
      maxWaitMs: options.maxWaitMs,
      rate: createJobRateLimit(shared, options),
      work: shared.workFor(options.convert, job.isUnaudited),
      emit: (event) => this.#emit(event),
      signal,
    };
  }

  /** Counts the plan. @returns undefined if the job was stopped before the end of the plan. */
  async count(): Promise<PlanTotals | undefined> {
    const { signal } = this.#context;
    this.#planned = await countPlan(this.#job.plan, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
    return this.#planned;
  }

  /** Starts all files. Yields when the first files have been answered, and after the urgent files. */
  async *feed(): AsyncGenerator<undefined, void> {
    const { signal } = this.#context;
    const { pool, stopStarting } = this.#shared;
    const { concurrency } = this.#job.plan.options;
    this.#started = performance.now();
    const files = this.#job.plan.files();
    const firstFiles = stopStarting?.aborted ? [] : [...takeFirst(files, PROBE_COUNT)];
    await Promise.all(firstFiles.map((file) => this.#startFirst(file)));
    const [refused] = this.#refusals;
    if (refused && this.#refusals.length === PROBE_COUNT) this.#stop.abort(refused);
    yield* this.#pauseClock();
    let visited = 0;
    let isUrgent = true;
    for (const file of files) {
      if (isUrgent && this.#job.urgent?.has(file.path) !== true) {
        isUrgent = false;
        yield* this.#pauseClock();
      }
      if (++visited % FILES_BEFORE_YIELD === 0) await yieldToEventLoop();
      if (signal.aborted) break;
      if (needsNoWork(file)) this.#report(createEventWithoutWork(file, this.#job));
      else if (stopStarting?.aborted) this.#notStarted++;
      else
        await pool.submit(
          (slot) => this.#process(file, slot),
          concurrency === 'auto' ? undefined : concurrency,
        );
    }
  }

  /** The job's time does not include that in which it waits for other jobs. */
  *#pauseClock(): Generator<undefined, void> {
    const paused = performance.now();
    yield;
    this.#started += performance.now() - paused;
  }

  /** Reports the day files that the lock file does not name, unless the job ended early. */
  async reportExtraFiles(): Promise<void> {
    const { lockedPaths } = this.#job;
    const { place, emit } = this.#shared;
    if (!lockedPaths || this.#stopReason()) return;
    for await (const finding of findExtraFiles(place.destination, lockedPaths, this.#context.signal)) {
      this.#runTally.addFinding(finding, 'changed');
      emit(finding);
    }
  }

  summary(): RunSummary {
    const { plan, keyProblem } = this.#job;
    return this.#runTally.summary({
      planned: this.#planned?.counts,
      stopped: this.#stopReason(),
      strict: plan.options.strict,
      keyProblem,
      seconds: this.#seconds,
    });
  }

  #stopReason(): TickhaulError | undefined {
    if (this.#isDone) return undefined;
    const { stopStarting } = this.#shared;
    const { signal } = this.#context;
    if (signal.aborted) return abortReason(signal);
    return stopStarting && this.#notStarted > 0 ? abortReason(stopStarting) : undefined;
  }

  /** Resolves at the first bytes of the file, or when it is done. */
  #startFirst(planned: PlannedFile): Promise<void> {
    if (needsNoWork(planned)) {
      this.#report(createEventWithoutWork(planned, this.#job));
      return Promise.resolve();
    }
    return new Promise((onAnswered) => {
      this.#awaited.set(planned.path, onAnswered);
      const work = (slot: TransferSlot) => this.#process(planned, slot).finally(onAnswered);
      // `waitForIdle` throws the same error.
      this.#shared.pool.submit(work).catch(() => {});
    });
  }

  /** Emits an event of a transfer. The bytes of a first file show that the service answers it. */
  #emit(event: RunEvent): void {
    if (this.#awaited.size > 0 && event.event === 'progress') {
      this.#awaited.get(event.path)?.();
      this.#awaited.delete(event.path);
    }
    this.#shared.emit(event);
  }

  async #process(planned: PlannedFile, slot: TransferSlot): Promise<void> {
    const result = await processFileOnce(this.#context, planned, slot, this.#shared);
    if (!result) return;
    const { event, conversionEvents, reason } = result;
    if (reason?.code === 'no_access') this.#refusals.push(reason);
    if (reason && judgeError(reason).affectsRun) this.#shared.stop.abort(reason);
    else if (reason && this.#job.plan.options.failFast) this.#stop.abort(reason);
    const { name: job } = this.#job;
    const withJob = (fileEvent: FileEvent): FileEvent =>
      job === undefined ? fileEvent : { ...fileEvent, job };
    this.#report(withJob(event), conversionEvents?.map(withJob));
  }

  /** @param conversionEvents of the day file, if they are reported separately. */
  #report(event: FileEvent, conversionEvents: readonly FileEvent[] = []): void {
    this.#runTally.add(event);
    for (const output of conversionEvents) this.#runTally.addOutput(output);
    this.#reportedCount++;
    this.#isDone ||= this.#reportedCount === this.#planned?.counts.files && !this.#context.signal.aborted;
    this.#seconds = secondsSince(this.#started);
    this.#shared.emit(event);
    for (const output of conversionEvents) this.#shared.emit(output);
  }
}

/** Applies the job's rate in addition to the rate of the whole run. */
function createJobRateLimit(
  { transfers: { rate }, options: { maxRate } }: DownloadContext,
  jobOptions: DownloadSettings,
): ByteRateLimit {
  if (jobOptions.maxRate === undefined || jobOptions.maxRate === maxRate) return rate;
  const ownRate = createByteRateLimit(jobOptions.maxRate);
  return async (bytes, signal) => {
    await ownRate(bytes, signal);
    await rate(bytes, signal);
  };
}

function* takeFirst<T>(items: Iterator<T>, count: number): Generator<T> {
  for (let i = 0; i < count; i++) {
    const next = items.next();
    if (next.done) return;
    yield next.value;
  }
}

function needsNoWork({ action, isUnchecked }: PlannedFile): boolean {
  return action === 'nothing' && !isUnchecked;
}

const STATUS_WITHOUT_WORK: Readonly<Partial<Record<PlannedFile['status'], FileStatus>>> = {
  pending: 'pending',
  unavailable: 'unavailable',
  unauthorized: 'unauthorized',
};

/** Lists the fields explicitly, since there may be a million events. */
function createEventWithoutWork(
  { file, path, outputs: planned, status: plannedStatus }: PlannedFile,
  { name: job, plan: { options } }: DownloadJob,
): FileEvent {
  const { output, outputs } = reportedOutputs(planned, options.convert);
  const status = STATUS_WITHOUT_WORK[plannedStatus] ?? 'skipped';
  return { event: 'file', status, job, file, path, output, outputs };
}

/**
 * Finds day files that a lock file does not name: they would change results that must be the same everywhere.
 * @param lockedPaths paths of the lock file.
 * @throws TickhaulError `disk`; the reason of an abort.
 */
async function* findExtraFiles(
  destination: Destination,
  lockedPaths: { has(path: string): boolean },
  signal: AbortSignal,
): AsyncGenerator<FindingEvent> {
  for await (const files of destination.list('', signal)) {
    for (const { path } of files) {
      if (!path.endsWith(DAY_FILE_EXTENSION) || isSystemPath(path) || lockedPaths.has(path)) continue;
      yield { event: 'finding', kind: 'extra', path, message: `${path}: the lock file does not name it` };
    }
  }
}
