import { setMaxListeners } from 'node:events';
import { abortReason, type TickhaulError } from '../base/errors.js';
import { secondsSince } from '../base/units.js';
import { yieldToEventLoop } from '../base/wait.js';
import type { FileEvent, FileStatus, RunSummary } from '../run/run-events.js';
import { createRunTally } from '../run/run-tally.js';
import { createRateLimit, type RateLimit } from '../transfer/rate-limit.js';
import type { TransferSlot } from '../transfer/transfer-pool.js';
import { reportedOutputs } from './conversion/reported-outputs.js';
import type { DownloadJob } from './download-job.js';
import type { DownloadOptions, PlannedFile } from './download-options.js';
import { processFile, processFileOnce } from './file/process-file.js';
import type { TransferContext } from './file/transfer-context.js';
import { countPlan, FILES_BEFORE_YIELD, type PlanTotals } from './plan/create-download-plan.js';
import type { SharedRun } from './shared-run.js';

/** Files that show whether the key has access: the rest waits for the answers to them. */
const PROBE_COUNT = 2;

/** One plan's way through the pool that all jobs of a run share. */
export class JobRun {
  readonly #shared: SharedRun;
  readonly #job: DownloadJob;
  readonly #context: TransferContext;
  readonly #tally = createRunTally();
  readonly #stop = new AbortController();
  readonly #refused: TickhaulError[] = [];
  #planned: PlanTotals | undefined;
  #told = 0;
  /** All was told before anything stopped the run. */
  #isDone = false;
  #leftOut = 0;
  #started = performance.now();
  #seconds = 0;

  constructor(shared: SharedRun, job: DownloadJob) {
    const { client, options } = job;
    const signal = AbortSignal.any([shared.stopped, this.#stop.signal]);
    setMaxListeners(0, signal);
    this.#shared = shared;
    this.#job = job;
    this.#context = {
      client,
      destination: shared.destination,
      manifest: shared.manifest,
      recording: shared.recording,
      partSuffix: shared.partSuffix,
      retries: options.retries,
      maxWaitMs: options.maxWaitMs,
      rate: createJobRateLimit(shared, options),
      pause: shared.transfers.pause,
      concurrency: shared.transfers.concurrency,
      memory: shared.transfers.memory,
      conversions: shared.conversionsFor(options.convert),
      emit: shared.emit,
      signal,
    };
  }

  /** @returns undefined when the job was stopped before the end of the plan. */
  async count(): Promise<PlanTotals | undefined> {
    this.#planned = await countPlan(this.#job.plan, this.#context.signal).catch(() => undefined);
    return this.#planned;
  }

  /** Begins all files, the probes before the plan is told; stops once on the way, when no more are urgent. */
  async *feed(planTold: Promise<void>): AsyncGenerator<undefined, void> {
    const { signal } = this.#context;
    const { pool, stopStarting } = this.#shared;
    const { concurrency } = this.#job.options;
    this.#started = performance.now();
    const files = this.#job.plan.files();
    const answers = stopStarting?.aborted
      ? []
      : [...takeFirst(files, PROBE_COUNT)].map((file) => this.#begin(file));
    await planTold;
    await Promise.all(answers);
    const [refused] = this.#refused;
    if (refused && this.#refused.length === PROBE_COUNT) this.#stop.abort(refused);
    let walked = 0;
    let isUrgent = true;
    for (const file of files) {
      if (isUrgent && this.#job.urgent?.has(file.path) !== true) {
        isUrgent = false;
        const paused = performance.now();
        yield;
        this.#started += performance.now() - paused;
      }
      if (++walked % FILES_BEFORE_YIELD === 0) await yieldToEventLoop();
      if (signal.aborted) break;
      if (file.action === 'nothing') this.#tell(createSkippedEvent(file, this.#job));
      else if (stopStarting?.aborted) this.#leftOut++;
      else
        await pool.submit(
          (place) => this.#settle(file, place),
          concurrency === 'auto' ? undefined : concurrency,
        );
    }
  }

  summary(): RunSummary {
    const { strict } = this.#job.options;
    const stopped = this.#isDone ? undefined : this.#stopReason();
    return this.#tally.summary({ planned: this.#planned?.counts, stopped, strict, seconds: this.#seconds });
  }

  #stopReason(): TickhaulError | undefined {
    const { stopStarting } = this.#shared;
    const { signal } = this.#context;
    if (signal.aborted) return abortReason(signal);
    return stopStarting && this.#leftOut > 0 ? abortReason(stopStarting) : undefined;
  }

  /** Resolves when the service answered for this file, or refused it, or there was nothing to ask. */
  #begin(planned: PlannedFile): Promise<void> {
    if (planned.action === 'nothing') {
      this.#tell(createSkippedEvent(planned, this.#job));
      return Promise.resolve();
    }
    return new Promise((answered) => {
      void this.#shared.pool.submit((place) => this.#settle(planned, place, answered).finally(answered));
    });
  }

  #settle(planned: PlannedFile, place: TransferSlot, onAnswer?: () => void): Promise<void> {
    const { begun, recording } = this.#shared;
    recording.onFileStart();
    const earlier = begun?.get(planned.path);
    const settling = (
      earlier
        ? this.#settleAfter(earlier, planned, place, onAnswer)
        : this.#settleNow(planned, place, onAnswer)
    ).finally(recording.onFileEnd);
    begun?.set(
      planned.path,
      settling.catch(() => {}),
    );
    return settling;
  }

  /** Another job has brought the file, or tried to. */
  async #settleAfter(
    earlier: Promise<unknown>,
    planned: PlannedFile,
    place: TransferSlot,
    onAnswer?: () => void,
  ): Promise<void> {
    // It may need the place for its next try.
    place.release();
    await earlier;
    await place.acquire();
    await this.#settleNow({ ...planned, action: 'check' }, place, onAnswer);
  }

  async #settleNow(
    planned: PlannedFile,
    place: TransferSlot,
    onAnswer: () => void = () => {},
  ): Promise<void> {
    const settled = this.#shared.isBesideOthers
      ? await processFileOnce(this.#shared.transfers, this.#context, planned, place, onAnswer)
      : await processFile(this.#context, planned, place, onAnswer);
    if (!settled) return;
    const { event, conversionEvents, reason } = settled;
    if (reason?.code === 'no_access') this.#refused.push(reason);
    if (reason?.affectsRun) this.#shared.stop.abort(reason);
    else if (reason && this.#job.options.failFast) this.#stop.abort(reason);
    const { name: job } = this.#job;
    const ofJob = (one: FileEvent): FileEvent => (job === undefined ? one : { ...one, job });
    this.#tell(ofJob(event), conversionEvents?.map(ofJob));
  }

  /** @param made of the day file, where it is told by itself. */
  #tell(event: FileEvent, made: readonly FileEvent[] = []): void {
    this.#shared.afterPlan(() => {
      this.#tally.add(event);
      for (const output of made) this.#tally.addOutput(output);
      this.#told++;
      this.#isDone ||= this.#told === this.#planned?.counts.files && !this.#context.signal.aborted;
      this.#seconds = secondsSince(this.#started);
      this.#shared.emit(event);
      for (const output of made) this.#shared.emit(output);
    });
  }
}

/** A job's own rate lies below that of the whole run. */
function createJobRateLimit(
  { transfers: { rate }, options: { maxRate } }: SharedRun,
  own: DownloadOptions,
): RateLimit {
  if (own.maxRate === undefined || own.maxRate === maxRate) return rate;
  const ownRate = createRateLimit(own.maxRate);
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

const STATUS_WITHOUT_WORK: Readonly<Partial<Record<PlannedFile['status'], FileStatus>>> = {
  pending: 'pending',
  unavailable: 'unavailable',
  unauthorized: 'unauthorized',
};

/** Written out, as there may be a million. */
function createSkippedEvent(
  { file, path, outputs: planned, status: plannedStatus }: PlannedFile,
  { name: job, options }: DownloadJob,
): FileEvent {
  const { output, outputs } = reportedOutputs(planned, options.convert);
  const status = STATUS_WITHOUT_WORK[plannedStatus] ?? 'skipped';
  return { event: 'file', status, job, file, path, output, outputs };
}
