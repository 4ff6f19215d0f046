import { LineBuffer } from '../market/lines/line-buffer.js';
import { type LineSink, type Written, writeLines } from '../market/lines/line-sink.js';

/** Bytes of memory that are kept for the next lines. */
const KEPT = 1024 * 1024;
/** Bytes of one write, or a longer line: so it shows whether a slow output takes anything. */
const PIECE = 128 * 1024;

export interface PumpOptions {
  readonly output: LineSink;
  /** Counted up as lines are written. */
  readonly written: Written;
  /** Bytes that may gather behind a slow output. */
  readonly most: number;
  /** Milliseconds in which lines gather for one write; 0 for those of one turn. */
  readonly gatherMs: number;
}

/** The output took nothing for so long as it was given. */
export class OutputStuck extends Error {
  /** Messages that it has not taken, or not as a whole. */
  readonly messages: number;

  constructor(messages: number) {
    super('the output takes nothing');
    this.messages = messages;
  }
}

/** Lines on their way to an output that may be slow: while some are written, others gather. */
export class LinePump {
  readonly #options: PumpOptions;
  readonly #waiting = new Set<() => void>();
  #gathering = new LineBuffer();
  #spare = new LineBuffer();
  #isWriting = false;
  /** Of the lines that are being written, those that were taken. */
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;
  #fail: (error: unknown) => void = () => {};
  /** Rejects with what the output throws. */
  readonly failed: Promise<never>;

  constructor(options: PumpOptions) {
    this.#options = options;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => {});
  }

  /** Where lines are to be added; `wake` afterwards. */
  get lines(): LineBuffer {
    return this.#gathering;
  }

  /** Bytes that gathered while earlier ones are written. */
  get waiting(): number {
    return this.#isWriting ? this.#gathering.length : 0;
  }

  get isBehind(): boolean {
    return this.waiting > this.#options.most;
  }

  /** Lines were added: they will be written. */
  wake(): void {
    if (this.#timer || this.#isWriting || this.#gathering.length === 0) return;
    this.#timer = setTimeout(() => void this.#write(), this.#options.gatherMs);
  }

  /**
   * Resolves when all is written.
   * @param patienceMs milliseconds that a write may take; undefined for any.
   * @throws what the output throws; OutputStuck.
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
      // The spare lines are those that are being written.
      const stuck = (): void => {
        const { count } = this.#spare;
        reject(new OutputStuck(this.#gathering.count + count - this.#taken));
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
        const limit = start + PIECE;
        let end = lines.ends[line++] as number;
        while (line < lines.count && (lines.ends[line] as number) <= limit)
          end = lines.ends[line++] as number;
        await writeLines(output, lines.bytes.subarray(start, end), line - this.#taken, written);
        this.#taken = line;
        start = end;
        this.#wakeWaiting();
      }
    } catch (error) {
      // It stays as if writing: nothing more is given to it.
      this.#fail(error);
      return;
    }
    lines.clear();
    this.#taken = 0;
    lines.shrink(KEPT);
    this.#isWriting = false;
    this.wake();
    this.#wakeWaiting();
  }

  #wakeWaiting(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
