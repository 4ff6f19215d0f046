import { setMaxListeners } from 'node:events';
import type { Job } from 'bullmq';
import { abortReason, TickhaulError } from '../base/errors.js';
import { plural, secondsSince } from '../base/units.js';
import { onAbort, wait, waitForAbort, withTimeout } from '../base/wait.js';
import type { RunEvent } from '../events/run-events.js';
import { toRunFailure } from '../events/run-failure.js';
import { createPause, type Pause } from '../http/retry-policy.js';
import type { OpenQueue, SliceWorker } from './open-queue.js';
import { sealPlan } from './plan-seal.js';
import { LOST_WORKER_MESSAGE, readQueueStatus } from './queue-commands.js';
import { QueueWatch } from './queue-watch.js';
import { parseSliceJob, type SliceJob } from './slice-job.js';
import {
  createSliceEvent,
  decideSliceOutcome,
  NEWER_PLAN,
  type SliceResult,
  type SliceStatus,
  type SliceWork,
  type SliceWorkContext,
  type WorkerEvent,
  type WorkerSummary,
} from './slice-work.js';

interface RunWorkerInput {
  readonly open: OpenQueue;
  /** Creates the work to do with each slice. */
  readonly work: (context: SliceWorkContext) => SliceWork;
  /** Number of slices at once. */
  readonly concurrency: number;
  /** Stop when no slice is left. */
  readonly once: boolean;
  /** Milliseconds without a heartbeat after which a slice is given to another worker. */
  readonly lockMs: number;
  readonly emit: (event: WorkerEvent) => void;
  /** Called if the worker cannot be closed in time: BullMQ's timers would keep the process alive. */
  readonly onStuck?: (() => void) | undefined;
  /** Stops the worker after the files in flight. */
  readonly signal: AbortSignal;
}

/** How many times a slice may lose its worker before it fails. Generous, because preemptible machines are often stopped. */
const MAX_LOST_WORKERS = 5;
/** Milliseconds that closing may take after the files in flight are complete. */
const CLOSE_TIMEOUT_MS = 5000;

/**
 * Processes slices of a queue until there is a reason to stop: `signal`, a response that affects all requests of this
 * worker, or with `once` an empty queue. An incomplete slice is returned to the queue without counting as an attempt.
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
  /** Work that must end before the worker closes. */
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #bullmq: OpenQueue['bullmq'];
  /** Aborted with the reason if the worker is to stop. */
  readonly #end = new AbortController();
  /** Aborted to return the active slices at once; a new controller replaces it then. */
  #returnSlices = new AbortController();
  readonly #watch: QueueWatch;
  readonly #counts = { done: 0, failed: 0, returned: 0, bytes: 0 };

  constructor(input: RunWorkerInput) {
    const { open, work, concurrency, lockMs } = input;
    this.#input = input;
    this.#bullmq = open.bullmq;
    this.#watch = new QueueWatch({
      open,
      lockMs,
      warn: this.#warn,
      end: (reason) => this.#endWorker(reason),
      ends: this.#end.signal,
    });
    // Each file in flight adds listeners to these signals; that is not a leak.
    setMaxListeners(0, this.#end.signal, this.#returnSlices.signal);
    const pause = createSharedPause(open, this.#end.signal);
    const emit = (event: RunEvent): void => this.#onRunEvent(event);
    this.#slices = work({ pause, emit, stopStarting: this.#end.signal });
    const connection = open.connect();
    connection.on('error', (error) => this.#watch.onRequestError(error));
    this.#worker = new open.bullmq.Worker<SliceJob>(
      open.queue.name,
      (job, token) => this.#process(job, token),
      {
        connection,
        skipVersionCheck: true,
        autorun: false,
        concurrency,
        limiter: PAUSABLE_LIMITER,
        lockDuration: lockMs,
        // Redis accepts only whole milliseconds.
        stalledInterval: Math.floor(lockMs / 2),
        maxStalledCount: MAX_LOST_WORKERS,
      },
    );
    this.#worker.on('failed', (job) => this.#onFailed(job));
    this.#worker.on('lockRenewalFailed', () => void this.#watch.onLostSlice());
    this.#worker.on('error', (error) => void this.#watch.onError(error, this.#worker));
    // A stopping worker takes no further slice, even if it was stopped before it started.
    this.#end.signal.addEventListener('abort', () => void this.#worker.pause(true), { once: true });
  }

  async run(): Promise<void> {
    const { signal, once } = this.#input;
    const removeListener = onAbort(signal, () => this.#end.abort(abortReason(signal)));
    const running = this.#worker.run();
    try {
      if (once) await this.#watch.waitUntilEmpty();
      else await waitForAbort(this.#end.signal);
    } finally {
      removeListener();
      // Leave slices added from now on to other workers.
      await this.#worker.pause(true);
      await Promise.allSettled(this.#inFlight);
      await this.#slices.close();
      // Without Redis, closing cannot complete. Other workers get its slices when their locks expire.
      const closed = this.#worker.close().then(() => running.then(() => true));
      const isClosed = await withTimeout(closed, CLOSE_TIMEOUT_MS);
      if (!isClosed) this.#input.onStuck?.();
    }
  }

  async summary(): Promise<Omit<WorkerSummary, 'seconds'>> {
    const counts = this.#counts;
    if (this.#end.signal.aborted) {
      const { exitCode, error } = toRunFailure(abortReason(this.#end.signal));
      return { exitCode, ...counts, error };
    }
    const { failed } = await readQueueStatus(this.#input.open);
    if (failed === 0) return { exitCode: 0, ...counts };
    const message = `${plural(failed, 'slice')} of the queue failed: tickhaul queue failed lists them, and tickhaul queue retry queues them again`;
    const { exitCode, error } = toRunFailure(new TickhaulError('mixed', message));
    return { exitCode, ...counts, error };
  }

  readonly #warn = (message: string): void => this.#input.emit({ event: 'warning', message });

  async #process(job: Job<SliceJob>, token: string | undefined): Promise<unknown> {
    // The slice was requested before the worker was paused.
    if (this.#worker.isPaused()) return this.#returnSlice(job, token);
    const slice = this.#parseSlice(job);
    const returnSignal = this.#returnSlices.signal;
    const processing = this.#work(slice, returnSignal);
    this.#inFlight.add(processing);
    const result = await processing.finally(() => this.#inFlight.delete(processing));
    const outcome = decideSliceOutcome(result, slice, returnSignal.aborted || this.#end.signal.aborted);
    const isCurrent = outcome.status !== 'done' || (await sealPlan(this.#input.open, job));
    const finalOutcome = isCurrent ? outcome : NEWER_PLAN;
    const { status, reason, pauseAllMs, returnDelayMs = 0 } = finalOutcome;
    this.#emitSlice(job, status, result, reason);
    if (pauseAllMs !== undefined) await this.#pauseAll(pauseAllMs);
    const canWait = pauseAllMs !== undefined && !this.#input.once;
    if (finalOutcome.endsWorker && reason && !canWait) this.#endWorker(reason);
    if (status === 'done') return undefined;
    if (status === 'failed') throw new Error(reason?.message);
    if (returnDelayMs > 0) await wait(returnDelayMs, this.#end.signal).catch(() => {});
    return this.#returnSlice(job, token);
  }

  /** @throws BullMQ's error for a slice that no further attempt would complete, after reporting it. */
  #parseSlice(job: Job<SliceJob>): SliceJob {
    try {
      return parseSliceJob(job.data, job.id);
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

  /** Returns the slice's result, or the error with which it ended. */
  async #work(slice: SliceJob, returnSignal: AbortSignal): Promise<SliceResult | TickhaulError> {
    const stopStarting = this.#end.signal;
    try {
      if (stopStarting.aborted) throw abortReason(stopStarting);
      await this.#watch.identify();
      return await this.#slices.run(slice, returnSignal);
    } catch (error) {
      if (error instanceof TickhaulError) return error;
      throw error;
    }
  }

  /** Reports a slice that lost its worker too often. It is no longer processed, so nothing else reports it. */
  #onFailed(job: Job<SliceJob> | undefined): void {
    if (job?.deferredFailure === undefined) return;
    const reason = new TickhaulError('mixed', LOST_WORKER_MESSAGE);
    this.#emitSlice(job, 'failed', reason, reason);
  }

  #onRunEvent(event: RunEvent): void {
    if (event.event === 'warning') this.#warn(event.message);
    if (event.event !== 'pause') return;
    const { waitMs, error } = event;
    if (error.code === 'ip_locked') void this.#pauseWorker(waitMs, error.message);
    else void this.#pauseAll(waitMs);
  }

  /** Errors are ignored: without Redis, no worker can take a slice. */
  async #pauseAll(ms: number): Promise<void> {
    await pauseAll(this.#input.open, ms).catch(() => {});
  }

  /** The key is in use from another address, possibly on purpose: other workers may continue, and this one waits. */
  async #pauseWorker(ms: number, message: string): Promise<void> {
    const { once, emit } = this.#input;
    const returnSlices = this.#returnSlices;
    if (returnSlices.signal.aborted) return;
    await this.#worker.pause(true);
    returnSlices.abort(new TickhaulError('ip_locked', message));
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

  /** Stops taking slices. Active slices end after their files in flight. */
  #endWorker(reason: TickhaulError): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort(reason);
    // The limit applies to all workers with this account.
    if (reason.code === 'transfer_limit') this.#inFlight.add(this.#input.open.queue.pause());
  }

  #emitSlice(
    job: Job<SliceJob>,
    status: SliceStatus,
    result: SliceResult | TickhaulError,
    reason?: TickhaulError,
  ): void {
    const event = createSliceEvent(job, status, result, reason);
    this.#counts[status]++;
    this.#counts.bytes += event.bytes;
    this.#input.emit(event);
  }
}

/** A rate beyond that of any queue: BullMQ supports pauses only with a limiter. */
export const PAUSABLE_LIMITER = { max: 1_000_000_000, duration: 1000 } as const;
/** Milliseconds that a file waits for Redis to report a pause, so that an unreachable Redis does not block it. */
const REPLY_TIMEOUT_MS = 1000;
/** Milliseconds for which a reply is reused, since small files start hundreds of times a second. */
const MAX_REPLY_AGE_MS = 20;

/**
 * The pause of all workers of a queue. Before each file, a worker checks whether any worker was asked to wait; the
 * reply is at most 20 ms old. BullMQ hands out no slice during a pause.
 * @param ends aborted when the worker stops: a file that waits is not in flight.
 */
export function createSharedPause({ queue }: Pick<OpenQueue, 'queue'>, ends: AbortSignal): Pause {
  const own = createPause();
  let requestedAt = Number.NEGATIVE_INFINITY;
  let remaining: Promise<number | undefined> = Promise.resolve(0);
  const getSharedPauseMs = async (): Promise<number> => {
    const now = performance.now();
    if (now - requestedAt >= MAX_REPLY_AGE_MS) {
      requestedAt = now;
      const reply = queue.getRateLimitTtl(PAUSABLE_LIMITER.max).catch(() => 0);
      remaining = withTimeout(reply, REPLY_TIMEOUT_MS);
    }
    return (await remaining) ?? 0;
  };
  return {
    extend: own.extend,
    async waitUntilOver(sliceSignal) {
      for (;;) {
        const sharedMs = await getSharedPauseMs();
        if (sharedMs > 0) own.extend(sharedMs);
        // Usually there is no pause, and so no need for a combined signal.
        if (own.remainingMs() <= 0) return;
        await own.waitUntilOver(AbortSignal.any([sliceSignal, ends]));
      }
    },
  };
}

/** Pauses all workers, unless a longer pause is active. Redis accepts whole milliseconds only, so it is rounded up. */
export async function pauseAll({ queue }: Pick<OpenQueue, 'queue'>, ms: number): Promise<void> {
  if ((await queue.getRateLimitTtl(PAUSABLE_LIMITER.max)) < ms) await queue.rateLimit(Math.ceil(ms));
}
