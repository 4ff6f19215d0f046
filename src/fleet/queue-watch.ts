import { TickhaulError } from '../base/errors.js';
import { plural } from '../base/units.js';
import { rejectOnAbort, wait } from '../base/wait.js';
import { isRedisReply, type OpenQueue, type SliceWorker, toRedisError } from './open-queue.js';
import { readQueueStatus } from './queue-commands.js';
import { readExistingMark } from './remove-unused-pins.js';

export interface QueueWatchInput {
  readonly open: OpenQueue;
  readonly warn: (message: string) => void;
  /** Ends the worker. */
  readonly end: (why: TickhaulError) => void;
  /** Aborted when the worker ends. */
  readonly ends: AbortSignal;
}

/** Milliseconds between two polls of the queue. */
const POLL_MS = 500;
/** Milliseconds until a worker asks for slices again after Redis refused, for example because its memory is full. */
const REFUSED_PAUSE_MS = 5000;

/** Watches a worker's queue for what ends the worker: no slice left, a pause, no permission, a queue that is lost. */
export class QueueWatch {
  readonly #input: QueueWatchInput;
  /** Of the queue as the worker found it; undefined until `enqueue` has filled it. */
  #mark: string | undefined;
  /** Why Redis refused last: reported once. */
  #refusal: string | undefined;

  constructor(input: QueueWatchInput) {
    this.#input = input;
  }

  /** Remembers which queue this is: to be called with each slice, as a queue may be filled after its workers started. */
  async identify(): Promise<void> {
    this.#mark ??= await readExistingMark(this.#input.open);
  }

  /** Resolves when no slice is left, or the worker ends: also because the queue is paused or lost, or Redis refuses. */
  async waitUntilEmpty(): Promise<void> {
    const { ends } = this.#input;
    while (!ends.aborted) {
      try {
        if (!(await rejectOnAbort(this.#hasSlices(), ends))) return;
      } catch (error) {
        this.#onRequestError(error);
      }
      await wait(POLL_MS, ends).catch(() => {});
    }
  }

  /** To be called with each error of BullMQ's worker: it asks again at once, for as long as it is not paused. */
  async onError(error: Error, worker: SliceWorker): Promise<void> {
    const { warn, ends } = this.#input;
    if (!isRedisReply(error)) {
      // Connections report their errors. Another worker's slice that ends here is normal, unless the queue is lost.
      await this.#assertNotLost().catch((why) => this.#onRequestError(why));
      return;
    }
    this.#onRequestError(error);
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
    if (this.#mark === undefined || (await readExistingMark(open)) === this.#mark) return;
    throw new TickhaulError(
      'server_error',
      `queue "${open.queue.name}": Redis at ${open.server} lost it during the run; fill it again with tickhaul enqueue`,
    );
  }

  /** What the next request meets as well ends the worker; a connection that broke comes back. */
  #onRequestError(error: unknown): void {
    const { open, end, ends } = this.#input;
    if (ends.aborted) return;
    const why = isRedisReply(error) ? toRedisError(open.server, error) : error;
    if (why instanceof TickhaulError && (why === error || why.code === 'no_access')) end(why);
  }
}
