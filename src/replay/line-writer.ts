import { pageMemory } from '../base/page-memory.js';
import { type LineSink, type WrittenCounts, writeLines } from '../market/lines/line-sink.js';

/** Bytes of one write, of lines that come in small pieces. */
export const WRITE_BYTES = 512 * 1024;

/** Gathers lines to large writes: whoever has a line that fits puts it into `bytes` at `length`, and adds it. */
export class LineWriter {
  readonly bytes: Uint8Array;
  length = 0;
  #messages = 0;
  readonly #output: LineSink;
  readonly #written: WrittenCounts;

  /** @param size bytes of one write; left out, 512 KB. */
  constructor(output: LineSink, written: WrittenCounts, size?: number) {
    this.bytes = size === undefined ? new Uint8Array(WRITE_BYTES) : pageMemory(size);
    this.#output = output;
    this.#written = written;
  }

  /** Whether there is room for so many bytes; a flush makes some. */
  fits(size: number): boolean {
    return this.length + size <= this.bytes.length;
  }

  /** So many bytes were put at `length`. */
  add(size: number, messages: number): void {
    this.length += size;
    this.#messages += messages;
  }

  /** Writes lines that don't fit, or needn't be copied, behind those before; they may be written over when it resolves. */
  async write(bytes: Uint8Array, messages: number): Promise<void> {
    await this.flush();
    await writeLines(this.#output, bytes, messages, this.#written);
  }

  async flush(): Promise<void> {
    if (this.length === 0) return;
    const bytes = this.bytes.subarray(0, this.length);
    const messages = this.#messages;
    // What an output didn't take isn't given to it again.
    this.length = 0;
    this.#messages = 0;
    await writeLines(this.#output, bytes, messages, this.#written);
  }
}
