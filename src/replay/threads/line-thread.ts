import type { MessagePort } from 'node:worker_threads';
import { AsyncQueue } from '../../base/async-queue.js';
import { TickhaulError } from '../../base/errors.js';
import type { TimedLines } from '../../market/lines/line-buffer.js';
import { lineTransferList } from './line-transfer-list.js';
import type { LinesMessage, UsedLines } from './send-lines.js';
import type { ThreadJobHandle } from './thread-pool.js';

/**
 * A job in a thread that writes the lines of some inputs; each input works ahead as far as it has buffers.
 */
export class LineThread {
  readonly #port: MessagePort;
  readonly #queues: readonly AsyncQueue<TimedLines>[];

  /** @param job its thread calls `sendLines` for each input. @param inputCount number of inputs. */
  constructor(job: ThreadJobHandle, inputCount: number) {
    this.#port = job.port;
    this.#queues = Array.from({ length: inputCount }, () => new AsyncQueue<TimedLines>());
    job.onEnd((error) => {
      for (const queue of this.#queues) queue.end(error);
    });
  }

  /** Handles a message of the thread. */
  handleMessage(message: LinesMessage): void {
    const queue = this.#queues[message.input];
    if (message.type === 'lines') queue?.push(message.lines);
    else if (message.type === 'end') queue?.end();
    else if (message.type === 'bug') queue?.end(message.error);
    else queue?.end(new TickhaulError(message.error.code, message.error.message, message.error));
  }

  /** Ends an input with an error, after the lines it has sent. */
  fail(input: number, error: unknown): void {
    this.#queues[input]?.end(error);
  }

  /**
   * The lines of one input; can be iterated once. A buffer is valid until the next one is requested.
   * @throws the error of the input, after all lines it sent.
   */
  async *lines(input: number): AsyncGenerator<TimedLines, void, undefined> {
    const queue = this.#queues[input];
    for (let received = await queue?.next(); received !== undefined; received = await queue?.next()) {
      yield received;
      const { count, bytes, ends, localTimestamps } = received;
      const lines = { count, bytes, ends, localTimestamps };
      const used: UsedLines = { type: 'used', input, lines };
      this.#port.postMessage(used, lineTransferList(lines));
    }
  }
}
