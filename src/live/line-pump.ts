import { LineBuffer, type LineSink, type WrittenCounts, writeLines } from '../market/lines/line-buffer.js';

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
  readonly #waiters = new Set<() => void>();
  #collected = new LineBuffer();
  #spare = new LineBuffer();
  #isWriting = false;
  /** Number of lines already written of those in the current write. */
  #writtenLines = 0;
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

  /** Buffer for new lines; call `scheduleWrite` after adding some. */
  get lines(): LineBuffer {
    return this.#collected;
  }

  /** Bytes that wait for the current write. */
  get waitingBytes(): number {
    return this.#isWriting ? this.#collected.length : 0;
  }

  get isBehind(): boolean {
    return this.waitingBytes > this.#options.maxWaitingBytes;
  }

  /** Schedules a write of the added lines. */
  scheduleWrite(): void {
    if (this.#timer || this.#isWriting || this.#collected.length === 0) return;
    this.#timer = setTimeout(() => void this.#write(), this.#options.gatherMs);
  }

  /**
   * Resolves when all lines are written.
   * @param timeoutMs timeout of each write in milliseconds; undefined for none.
   * @throws what the output throws; OutputStalledError.
   */
  async waitForIdle(timeoutMs?: number): Promise<void> {
    while (this.#collected.length > 0 || this.#isWriting) {
      if (!this.#isWriting) void this.#write();
      const progress = new Promise<void>((resolve) => this.#waiters.add(resolve));
      const step = Promise.race([progress, this.failed]);
      await (timeoutMs === undefined ? step : this.#rejectOnStall(step, timeoutMs));
    }
  }

  #rejectOnStall(step: Promise<void>, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      // The spare buffer holds the lines of the current write.
      const onTimeout = (): void => {
        const { count } = this.#spare;
        reject(new OutputStalledError(this.#collected.count + count - this.#writtenLines));
      };
      const timer = setTimeout(onTimeout, timeoutMs);
      step.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isWriting = true;
    const lines = this.#collected;
    this.#collected = this.#spare;
    this.#spare = lines;
    const { output, written } = this.#options;
    try {
      for (let line = 0, start = 0; line < lines.count; ) {
        const limit = start + WRITE_BYTES;
        let end = lines.ends[line++] as number;
        while (line < lines.count && (lines.ends[line] as number) <= limit)
          end = lines.ends[line++] as number;
        await writeLines(output, lines.bytes.subarray(start, end), line - this.#writtenLines, written);
        this.#writtenLines = line;
        start = end;
        this.#resolveWaiters();
      }
    } catch (error) {
      // `#isWriting` stays set, so nothing more is written.
      this.#fail(error);
      return;
    }
    lines.clear();
    this.#writtenLines = 0;
    lines.shrink(MAX_KEPT_BYTES);
    this.#isWriting = false;
    this.scheduleWrite();
    this.#resolveWaiters();
  }

  #resolveWaiters(): void {
    for (const resolve of this.#waiters) resolve();
    this.#waiters.clear();
  }
}
