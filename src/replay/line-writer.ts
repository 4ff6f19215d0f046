import { pageMemory } from '../base/memory.js';
import { type LineSink, type WrittenCounts, writeLines } from '../market/lines/line-sink.js';

/** Size of one write of many small lines. */
export const WRITE_BYTES = 512 * 1024;

/**
 * Collects lines into large writes. A caller copies a line that fits into `bytes` at `length`, then calls
 * `add`.
 */
export class LineWriter {
  readonly bytes: Uint8Array;
  length = 0;
  #messages = 0;
  readonly #output: LineSink;
  readonly #written: WrittenCounts;

  /** @param size bytes of one write; 512 KB by default. */
  constructor(output: LineSink, written: WrittenCounts, size?: number) {
    this.bytes = size === undefined ? new Uint8Array(WRITE_BYTES) : pageMemory(size);
    this.#output = output;
    this.#written = written;
  }

  /** Whether `size` bytes fit before the next flush. */
  fits(size: number): boolean {
    return this.length + size <= this.bytes.length;
  }

  /** Accounts for `size` bytes that were copied to `length`. */
  add(size: number, messages: number): void {
    this.length += size;
    this.#messages += messages;
  }

  /**
   * Writes lines after those collected so far, without a copy. `bytes` may be overwritten once the promise
   * resolves.
   */
  async write(bytes: Uint8Array, messages: number): Promise<void> {
    await this.flush();
    await writeLines(this.#output, bytes, messages, this.#written);
  }

  async flush(): Promise<void> {
    if (this.length === 0) return;
    const bytes = this.bytes.subarray(0, this.length);
    const messages = this.#messages;
    // Reset first: after a failed write the same lines must not be written again.
    this.length = 0;
    this.#messages = 0;
    await writeLines(this.#output, bytes, messages, this.#written);
  }
}
