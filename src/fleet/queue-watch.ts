import { TickhaulError } from '../base/errors.js';
import { formatDuration, plural } from '../base/units.js';
import { rejectOnAbort, wait } from '../base/wait.js';
import { isRedisReply, type OpenQueue, readQueueMark, type SliceWorker, toRedisError } from './open-queue.js';
import { readQueueStatus } from './queue-commands.js';

export interface QueueWatchInput {
  readonly open: OpenQueue;
  /** Milliseconds without a heartbeat after which a slice is given to another worker. */
  readonly lockMs: number;
  readonly warn: (message: string) => void;
  /** Stops the worker. */
  readonly end: (reason: TickhaulError) => void;
  /** Aborted when the worker stops. */
  readonly ends: AbortSignal;
}

/** Milliseconds between two polls of the queue. */
const POLL_MS = 500;
/** Milliseconds until a worker requests slices again after an error reply, for example because memory is full. */
const REFUSED_PAUSE_MS = 5000;

/** Stops a worker if its queue is empty, paused or lost, or if Redis denies permission. */
export class QueueWatch {
  readonly #input: QueueWatchInput;
  /** Mark of the queue when the worker first saw it; undefined until `enqueue` has filled the queue. */
  #mark: string | undefined;
  /** Last error reply of Redis, so that it is reported once. */
  #refusal: string | undefined;
  #hasLostSlice = false;

  constructor(input: QueueWatchInput) {
    this.#input = input;
  }

  /** Remembers the queue's identity. Call it for each slice, since a queue may be filled after its workers start. */
  async identify(): Promise<void> {
    this.#mark ??= await readQueueMark(this.#input.open);
  }

  /** Resolves when no slice is left or the worker stops, for example because the queue is paused or lost. */
  async waitUntilEmpty(): Promise<void> {
    const { ends } = this.#input;
    while (!ends.aborted) {
      try {
        if (!(await rejectOnAbort(this.#hasSlices(), ends))) return;
      } catch (error) {
        this.onRequestError(error);
      }
      await wait(POLL_MS, ends).catch(() => {});
    }
  }

  /** Call it if a lock could not be renewed. Warns once, unless the whole queue is lost. */
  async onLostSlice(): Promise<void> {
    const { lockMs, warn } = this.#input;
    const isQueueLost = await this.#assertNotLost().then(
      () => false,
      () => true,
    );
    if (this.#hasLostSlice || isQueueLost) return;
    this.#hasLostSlice = true;
    const problem = `the lock of a slice was not renewed within ${formatDuration(lockMs)}`;
    warn(`${problem}, so another worker may take the slice; raise --lock-duration`);
  }

  /** Call it for each error of BullMQ's worker, which requests the next slice at once unless it is paused. */
  async onError(error: Error, worker: SliceWorker): Promise<void> {
    const { warn, ends } = this.#input;
    if (!isRedisReply(error)) {
      // Connections report their errors, and `onLostSlice` that a slice went to another worker.
      await this.#assertNotLost().catch((reason) => this.onRequestError(reason));
      return;
    }
    this.onRequestError(error);
    if (ends.aborted || worker.isPaused()) return;
    if (error.message !== this.#refusal)
      warn(`${toRedisError(this.#input.open.server, error).message}; trying again`);
    this.#refusal = error.message;
    await worker.pause(true);
    await wait(REFUSED_PAUSE_MS, ends).catch(() => {});
    if (!ends.aborted) worker.resume();
  }

  async #hasSlices(): Promise<boolean> {
    await this.identify();
    const { waiting, active, delayed, paused } = await readQueueStatus(this.#input.open);
    if (waiting + active + delayed === 0) {
      await this.#assertNotLost();
      return false;
    }
    if (paused && active === 0) {
      throw new TickhaulError(
        'out_of_time',
        `the queue is paused, with ${plural(waiting, 'slice')} waiting: tickhaul queue resume`,
      );
    }
    return true;
  }

  async #assertNotLost(): Promise<void> {
    const { open } = this.#input;
    if (this.#mark === undefined || (await readQueueMark(open)) === this.#mark) return;
    throw new TickhaulError(
      'server_error',
      `queue "${open.queue.name}": its data in Redis at ${open.server} was lost during the run; refill it with tickhaul enqueue`,
    );
  }

  /**
   * Stops the worker if the next request would fail as well. A broken connection is reopened. Call it also for errors of a
   * connection: if the sign-in is refused, requests whose replies were lost never fail.
   */
  onRequestError(error: unknown): void {
    const { open, end, ends } = this.#input;
    if (ends.aborted) return;
    const reason = isRedisReply(error) ? toRedisError(open.server, error) : error;
    if (reason instanceof TickhaulError && (reason === error || reason.code === 'no_access')) end(reason);
  }
}
