import { LineBuffer } from '../market/lines/line-buffer.js';
import { type LineSink, type WrittenCounts, writeLines } from '../market/lines/line-sink.js';

/** A buffer that grew beyond this size is shrunk after use. */
const MAX_KEPT_BYTES = 1024 * 1024;
/** Size of one write, or of a longer line. Small writes show whether a slow output makes progress. */
const WRITE_BYTES = 128 * 1024;

export interface LinePumpOptions {
  readonly output: LineSink;
  /** Incremented as lines are written. */
  readonly written: WrittenCounts;
  /** Maximum bytes waiting for a slow output. */
  readonly maxWaitingBytes: number;
  /** How long lines are collected for one write, in milliseconds; 0 for the lines of one event loop turn. */
  readonly gatherMs: number;
}

/** The output accepted no bytes within the timeout. */
export class OutputStalledError extends Error {
  /** Messages that were not written, or not completely. */
  readonly messages: number;

  constructor(messages: number) {
    super('the output does not accept data');
    this.messages = messages;
  }
}

/** Writes lines to an output that may be slow, and collects new lines during each write. */
export class LinePump {
  readonly #options: LinePumpOptions;
  readonly #waiting = new Set<() => void>();
  #gathering = new LineBuffer();
  #spare = new LineBuffer();
  #isWriting = false;
  /** Number of lines already written of those in the current write. */
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;
  #fail: (error: unknown) => void = () => {};
  /** Rejects with the output's error. */
  readonly failed: Promise<never>;

  constructor(options: LinePumpOptions) {
    this.#options = options;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => {});
  }

  /** Buffer for new lines; call `wake` after adding some. */
  get lines(): LineBuffer {
    return this.#gathering;
  }

  /** Bytes that wait for the current write. */
  get waiting(): number {
    return this.#isWriting ? this.#gathering.length : 0;
  }

  get isBehind(): boolean {
    return this.waiting > this.#options.maxWaitingBytes;
  }

  /** Schedules a write of the added lines. */
  wake(): void {
    if (this.#timer || this.#isWriting || this.#gathering.length === 0) return;
    this.#timer = setTimeout(() => void this.#write(), this.#options.gatherMs);
  }

  /**
   * Resolves when all lines are written.
   * @param timeoutMs timeout of each write in milliseconds; undefined for none.
   * @throws what the output throws; OutputStalledError.
   */
  async idle(patienceMs?: number): Promise<void> {
    while (this.#gathering.length > 0 || this.#isWriting) {
      if (!this.#isWriting) void this.#write();
      const taken = new Promise<void>((resolve) => this.#waiting.add(resolve));
      const step = Promise.race([taken, this.failed]);
      await (patienceMs === undefined ? step : this.#orStuck(step, patienceMs));
    }
  }

  #orStuck(step: Promise<void>, patienceMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      // The spare buffer holds the lines of the current write.
      const stuck = (): void => {
        const { count } = this.#spare;
        reject(new OutputStalledError(this.#gathering.count + count - this.#taken));
      };
      const timer = setTimeout(stuck, patienceMs);
      step.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWriting = true;
    const lines = this.#gathering;
    this.#gathering = this.#spare;
    this.#spare = lines;
    const { output, written } = this.#options;
    try {
      for (let line = 0, start = 0; line < lines.count; ) {
        const limit = start + WRITE_BYTES;
        let end = lines.ends[line++] as number;
        while (line < lines.count && (lines.ends[line] as number) <= limit)
          end = lines.ends[line++] as number;
        await writeLines(output, lines.bytes.subarray(start, end), line - this.#taken, written);
        this.#taken = line;
        start = end;
        this.#wakeWaiting();
      }
    } catch (error) {
      // `#isWriting` stays set, so nothing more is written.
      this.#fail(error);
      return;
    }
    lines.clear();
    this.#taken = 0;
    lines.shrink(MAX_KEPT_BYTES);
    this.#isWriting = false;
    this.wake();
    this.#wakeWaiting();
  }

  #wakeWaiting(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
