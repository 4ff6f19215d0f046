import type { LineSink } from '../market/lines/line-sink.js';

/** Writes, or beginnings of replays, in one turn of the event loop: what they do takes some milliseconds together. */
const MAX_WRITES = 32;

/** Lets replays begin and write in turns, so that a server with many of them still takes up connections and answers at once. */
export class WriteTurns {
  #left = MAX_WRITES;
  #isArmed = false;
  readonly #waiting: (() => void)[] = [];

  /** The same output, whose writes wait for their turn. */
  wrap(output: LineSink): LineSink {
    return {
      write: async (bytes) => {
        await this.take();
        await output.write(bytes);
      },
    };
  }

  /** Resolves when it is the turn of one more replay to go on. */
  take(): Promise<void> | undefined {
    this.#arm();
    if (this.#left > 0) {
      this.#left--;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => {
      this.#isArmed = false;
      const next = this.#waiting.splice(0, MAX_WRITES);
      this.#left = MAX_WRITES - next.length;
      for (const begin of next) begin();
      if (this.#waiting.length > 0) this.#arm();
    });
  }
}
