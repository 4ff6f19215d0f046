import { LineBuffer } from '../market/lines/line-buffer.js';
import type { LineSink, Written } from '../market/lines/line-sink.js';

/** Bytes of memory that are kept for the next lines. */
const KEPT = 1024 * 1024;

export interface PumpOptions {
  readonly output: LineSink;
  /** Counted up as lines are written. */
  readonly written: Written;
  /** Bytes that may gather behind a slow output. */
  readonly most: number;
  /** Milliseconds in which lines gather for one write; 0 for those of one turn. */
  readonly gatherMs: number;
}

/** Lines on their way to an output that may be slow: while some are written, others gather. */
export class LinePump {
  readonly #options: PumpOptions;
  readonly #waiting = new Set<() => void>();
  #gathering = new LineBuffer();
  #spare = new LineBuffer();
  #isWriting = false;
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

  /** Resolves when all is written. @throws what the output throws. */
  async idle(): Promise<void> {
    while (this.#gathering.length > 0 || this.#isWriting) {
      if (!this.#isWriting) void this.#write();
      await Promise.race([new Promise<void>((resolve) => this.#waiting.add(resolve)), this.failed]);
    }
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
      await output.write(lines.bytes.subarray(0, lines.length));
    } catch (error) {
      // It stays as if writing: nothing more is given to it.
      this.#fail(error);
      return;
    }
    written.messages += lines.count;
    written.bytes += lines.length;
    lines.clear();
    lines.shrink(KEPT);
    this.#isWriting = false;
    this.wake();
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
