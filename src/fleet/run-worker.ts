import { setMaxListeners } from 'node:events';
import type { Job } from 'bullmq';
import { abortReason, TickhaulError } from '../base/errors.js';
import { secondsSince } from '../base/units.js';
import { onAbort, wait, waitForAbort, withTimeout } from '../base/wait.js';
import type { RunEvent } from '../run/run-events.js';
import { toRunFailure } from '../run/run-failure.js';
import type { OpenQueue, SliceWorker } from './open-queue.js';
import { parseSliceJob } from './parse-slice-job.js';
import { sealPlan } from './plan-seal.js';
import { LOST_WORKER_MESSAGE, readQueueStatus } from './queue-commands.js';
import { QueueWatch } from './queue-watch.js';
import type { SliceResult, SliceWork, SliceWorkContext } from './run-slice.js';
import { createSharedPause, pauseAll, RATE_LIMITER } from './shared-pause.js';
import type { SliceJob } from './slice-job.js';
import { decideSliceOutcome, NEWER_PLAN } from './slice-outcome.js';
import { createSliceEvent, type SliceStatus, type WorkerEvent, type WorkerSummary } from './worker-events.js';

export interface RunWorkerInput {
  readonly open: OpenQueue;
  /** What is done with a slice. */
  readonly work: (context: SliceWorkContext) => SliceWork;
  /** Slices at once. */
  readonly concurrency: number;
  /** To end when no slice is left. */
  readonly once: boolean;
  /** Milliseconds after which a slice of a worker that is silent is given to another. */
  readonly lockMs: number;
  readonly emit: (event: WorkerEvent) => void;
  /** Ends the worker after the files under way. */
  readonly signal: AbortSignal;
}

/** A slice may lose its worker so often before it counts as failed: machines of the cheap kind come and go. */
const MAX_STALLED_COUNT = 5;
/** Milliseconds that the end may take, once the files under way have ended. */
const CLOSE_TIMEOUT_MS = 5000;

/**
 * Works on slices of a queue until there is a reason to end: `signal`, an answer that concerns all that this worker would
 * ask for, or with `once` that none is left. A slice that it doesn't end goes back to the queue, and counts as not tried.
 */
export async function runWorker(input: RunWorkerInput): Promise<WorkerSummary> {
  const worker = new FleetWorker(input);
  const started = performance.now();
  await worker.run();
  return { ...(await worker.summary()), seconds: secondsSince(started) };
}

class FleetWorker {
  readonly #input: RunWorkerInput;
  readonly #worker: SliceWorker;
  readonly #slices: SliceWork;
  /** What is to be over before the worker leaves. */
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #bullmq: OpenQueue['bullmq'];
  /** Why it ends, where it doesn't by itself. */
  readonly #end = new AbortController();
  /** Aborted when the slices under way are to be handed back at once; then there is another. */
  #returnSlices = new AbortController();
  readonly #watch: QueueWatch;
  readonly #counts = { done: 0, failed: 0, returned: 0, bytes: 0 };

  constructor(input: RunWorkerInput) {
    const { open, work, concurrency, lockMs } = input;
    this.#input = input;
    this.#bullmq = open.bullmq;
    this.#watch = new QueueWatch({
      open,
      warn: this.#warn,
      end: (why) => this.#endWorker(why),
      ends: this.#end.signal,
    });
    // Each file in flight listens to them, and that is no leak.
    setMaxListeners(0, this.#end.signal, this.#returnSlices.signal);
    const pause = createSharedPause(open, this.#end.signal);
    const emit = (event: RunEvent): void => this.#onRunEvent(event);
    this.#slices = work({ pause, emit, stopStarting: this.#end.signal });
    this.#worker = new open.bullmq.Worker<SliceJob>(
      open.queue.name,
      (job, token) => this.#process(job, token),
      {
        connection: open.connect(),
        skipVersionCheck: true,
        autorun: false,
        concurrency,
        limiter: RATE_LIMITER,
        lockDuration: lockMs,
        stalledInterval: lockMs / 2,
        maxStalledCount: MAX_STALLED_COUNT,
      },
    );
    this.#worker.on('failed', (job) => this.#onFailed(job));
    this.#worker.on('error', (error) => void this.#watch.onError(error, this.#worker));
    // A worker that is to end takes nothing more, also where that was said before it began.
    this.#end.signal.addEventListener('abort', () => void this.#worker.pause(true), { once: true });
  }

  async run(): Promise<void> {
    const { signal, once } = this.#input;
    const leave = onAbort(signal, () => this.#end.abort(abortReason(signal)));
    const running = this.#worker.run();
    try {
      if (once) await this.#watch.waitUntilEmpty();
      else await waitForAbort(this.#end.signal);
    } finally {
      leave();
      // What others put into the queue from now on is theirs.
      await this.#worker.pause(true);
      await Promise.allSettled(this.#inFlight);
      await this.#slices.close();
      // Without its Redis, it can't say that it ends: its slices are others' when their locks run out.
      await withTimeout(
        this.#worker.close().then(() => running),
        CLOSE_TIMEOUT_MS,
      );
    }
  }

  async summary(): Promise<Omit<WorkerSummary, 'seconds'>> {
    const counts = this.#counts;
    if (this.#end.signal.aborted) {
      const { exitCode, error } = toRunFailure(abortReason(this.#end.signal));
      return { exitCode, ...counts, error };
    }
    const { failed } = await readQueueStatus(this.#input.open);
    return { exitCode: failed > 0 ? 3 : 0, ...counts };
  }

  readonly #warn = (message: string): void => this.#input.emit({ event: 'warning', message });

  async #process(job: Job<SliceJob>, token: string | undefined): Promise<unknown> {
    // It was asked for before the worker was told to take nothing more.
    if (this.#worker.isPaused()) return this.#returnSlice(job, token);
    this.#assertSlice(job);
    const handBack = this.#returnSlices.signal;
    const working = this.#work(job, handBack);
    this.#inFlight.add(working);
    const ended = await working.finally(() => this.#inFlight.delete(working));
    const worked = decideSliceOutcome(ended, job.data, handBack.aborted || this.#end.signal.aborted);
    const isCurrent = worked.status !== 'done' || (await sealPlan(this.#input.open, job));
    const verdict = isCurrent ? worked : NEWER_PLAN;
    const { status, reason, pauseAllMs, returnDelayMs = 0 } = verdict;
    this.#emitSlice(job, status, ended, reason);
    if (pauseAllMs !== undefined) await this.#pauseAll(pauseAllMs);
    const isPatient = pauseAllMs !== undefined && !this.#input.once;
    if (verdict.endsWorker && reason && !isPatient) this.#endWorker(reason);
    if (status === 'done') return undefined;
    if (status === 'failed') throw new Error(reason?.message);
    if (returnDelayMs > 0) await wait(returnDelayMs, this.#end.signal).catch(() => {});
    return this.#returnSlice(job, token);
  }

  /** @throws BullMQ's error for a slice that no further try would end, once it is reported. */
  #assertSlice(job: Job<SliceJob>): void {
    try {
      parseSliceJob(job.data, job.id);
    } catch (error) {
      if (!(error instanceof TickhaulError)) throw error;
      this.#emitSlice(job, 'failed', error, error);
      throw new this.#bullmq.UnrecoverableError(error.message);
    }
  }

  async #returnSlice(job: Job<SliceJob>, token: string | undefined): Promise<never> {
    await job.moveToWait(token);
    throw new this.#bullmq.WaitingError();
  }

  /** What came of it, or the error that it ended with. */
  async #work({ data }: Job<SliceJob>, handBack: AbortSignal): Promise<SliceResult | TickhaulError> {
    const noMore = this.#end.signal;
    try {
      if (noMore.aborted) throw abortReason(noMore);
      await this.#watch.identify();
      return await this.#slices.run(data, handBack);
    } catch (error) {
      if (error instanceof TickhaulError) return error;
      throw error;
    }
  }

  /** Of a slice that lost its worker too often, nobody else tells: it isn't worked on any more. */
  #onFailed(job: Job<SliceJob> | undefined): void {
    if (job?.deferredFailure === undefined) return;
    const why = new TickhaulError('mixed', LOST_WORKER_MESSAGE);
    this.#emitSlice(job, 'failed', why, why);
  }

  #onRunEvent(event: RunEvent): void {
    if (event.event === 'warning') this.#warn(event.message);
    if (event.event !== 'pause') return;
    const { waitMs, error } = event;
    if (error.code === 'ip_locked') void this.#pauseWorker(waitMs, error.message);
    else void this.#pauseAll(waitMs);
  }

  /** A Redis that is gone has no worker take anything either. */
  async #pauseAll(ms: number): Promise<void> {
    await pauseAll(this.#input.open, ms).catch(() => {});
  }

  /** The key is in use elsewhere, lawfully for all that is known: others may go on, and this worker not. */
  async #pauseWorker(ms: number, message: string): Promise<void> {
    const { once, emit } = this.#input;
    const handBack = this.#returnSlices;
    if (handBack.signal.aborted) return;
    await this.#worker.pause(true);
    handBack.abort(new TickhaulError('ip_locked', message));
    this.#returnSlices = new AbortController();
    setMaxListeners(0, this.#returnSlices.signal);
    if (once) {
      this.#end.abort(new TickhaulError('ip_locked', message));
      return;
    }
    emit({ event: 'note', message: `${message}; this worker waits for ${Math.ceil(ms / 1000)} s` });
    await wait(ms, this.#end.signal).catch(() => {});
    if (!this.#end.signal.aborted) this.#worker.resume();
  }

  /** No further slice is taken; those under way end with their files. */
  #endWorker(why: TickhaulError): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort(why);
    // Nobody's key brings more today.
    if (why.code === 'transfer_limit') this.#inFlight.add(this.#input.open.queue.pause());
  }

  #emitSlice(
    job: Job<SliceJob>,
    status: SliceStatus,
    ended: SliceResult | TickhaulError,
    why?: TickhaulError,
  ): void {
    const event = createSliceEvent(job, status, ended, why);
    this.#counts[status]++;
    this.#counts.bytes += event.bytes;
    this.#input.emit(event);
  }
}
