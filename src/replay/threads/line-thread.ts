import type { MessagePort } from 'node:worker_threads';
import { AsyncQueue } from '../../base/async-queue.js';
import { TickhaulError } from '../../base/errors.js';
import { lineTransferList } from './line-transfer-list.js';
import type { LinesMessage, TransferredLines, UsedLines } from './send-lines.js';
import type { ThreadJobHandle } from './thread-pool.js';

/**
 * A job in a thread that writes the lines of some inputs; each input works ahead as far as it has buffers.
 */
export class LineThread {
  readonly #port: MessagePort;
  readonly #queues: readonly AsyncQueue<TransferredLines>[];

  /** @param job its thread calls `sendLines` for each input. @param inputs number of inputs. */
  constructor(job: ThreadJobHandle, inputs: number) {
    this.#port = job.port;
    this.#queues = Array.from({ length: inputs }, () => new AsyncQueue<TransferredLines>());
    job.onEnd((error) => {
      for (const queue of this.#queues) queue.end(error);
    });
  }

  /** Handles a message of the thread. */
  take(answer: LinesMessage): void {
    const queue = this.#queues[answer.at];
    if (answer.answer === 'lines') queue?.push(answer.lines);
    else if (answer.answer === 'end') queue?.end();
    else if (answer.answer === 'bug') queue?.end(answer.error);
    else queue?.end(new TickhaulError(answer.error.code, answer.error.message, answer.error));
  }

  /** Ends an input with an error, after the lines it has sent. */
  fail(at: number, error: unknown): void {
    this.#queues[at]?.end(error);
  }

  /**
   * The lines of one input; can be iterated once. A buffer is valid until the next one is requested.
   * @throws the error of the input, after all lines it sent.
   */
  async *lines(at: number): AsyncGenerator<TransferredLines, void, undefined> {
    const queue = this.#queues[at];
    for (let given = await queue?.next(); given !== undefined; given = await queue?.next()) {
      yield given;
      const { count, bytes, ends, localTimestamps } = given;
      const lines = { count, bytes, ends, localTimestamps };
      const order: UsedLines = { order: 'used', at, lines };
      this.#port.postMessage(order, lineTransferList(lines));
    }
  }
}
