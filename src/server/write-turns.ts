import type { LineSink } from '../market/lines/line-sink.js';

/** Maximum number of writes and started replays in one turn of the event loop; they take some milliseconds. */
const MAX_WRITES = 32;

/** Spreads writes of replays over turns of the event loop, so that a busy server still accepts connections at once. */
export class WriteTurns {
  #left = MAX_WRITES;
  #isArmed = false;
  readonly #waiting: (() => void)[] = [];

  /** Wraps an output so that each write waits for its turn. */
  wrap(output: LineSink): LineSink {
    return {
      write: async (bytes) => {
        await this.take();
        await output.write(bytes);
      },
    };
  }

  /** Resolves when the caller may start or continue its replay; undefined if it may at once. */
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
