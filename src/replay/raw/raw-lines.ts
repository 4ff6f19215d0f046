import type { RawBatch } from '../../feeds/read/raw-batch.js';
import { MESSAGE_START, TIMESTAMP_BYTES } from '../../feeds/read/raw-line.js';
import type { LineSink } from '../replay.js';
import type { RawSink } from './merge-raw.js';

/** Bytes of one write. */
const WRITE = 512 * 1024;

/** A line's beginning, with room for its timestamp, and its end. */
const HEAD = Buffer.from(`{"localTimestamp":"${' '.repeat(TIMESTAMP_BYTES)}","message":`);
const TIMESTAMP_AT = '{"localTimestamp":"'.length;
const TAIL = Buffer.from('}\n');
const LF = 0x0a;

/**
 * Gathers lines of the raw data API as `{"localTimestamp":"…","message":…}` in large writes (contract, Replay). The
 * message is copied as it is, byte for byte.
 */
export class RawLines implements RawSink {
  readonly #output: LineSink;
  readonly #written: { messages: number; bytes: number };
  readonly #bytes = Buffer.allocUnsafeSlow(WRITE);
  #length = 0;
  #messages = 0;

  /** @param written what was written so far; counted up. */
  constructor(output: LineSink, written: { messages: number; bytes: number }) {
    this.#output = output;
    this.#written = written;
  }

  /** Adds lines of a batch. */
  async add({ text, starts, ends }: RawBatch, start: number, end: number): Promise<void> {
    for (let line = start; line < end; line++) {
      const from = starts[line] as number;
      const to = ends[line] as number;
      const size = HEAD.length + to - from - MESSAGE_START + TAIL.length;
      if (this.#length + size > WRITE) await this.flush();
      if (size > WRITE) await this.#writeAlone(text, from, to, size);
      else this.#length = format(text, from, to, this.#bytes, this.#length);
      this.#messages++;
    }
  }

  /** Adds the empty line that stands for a broken connection. */
  async addBreak(): Promise<void> {
    if (this.#length === WRITE) await this.flush();
    this.#bytes[this.#length++] = LF;
  }

  async flush(): Promise<void> {
    const length = this.#length;
    // What an output didn't take isn't given to it again.
    this.#length = 0;
    if (length > 0) await this.#write(this.#bytes.subarray(0, length));
  }

  async #writeAlone(text: Buffer, from: number, to: number, size: number): Promise<void> {
    const bytes = Buffer.allocUnsafeSlow(size);
    format(text, from, to, bytes, 0);
    await this.#write(bytes);
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#output.write(bytes);
    this.#written.messages += this.#messages;
    this.#written.bytes += bytes.length;
    this.#messages = 0;
  }
}

/** Writes a line; returns the position behind. */
function format(text: Buffer, from: number, to: number, out: Buffer, at: number): number {
  HEAD.copy(out, at);
  text.copy(out, at + TIMESTAMP_AT, from, from + TIMESTAMP_BYTES);
  text.copy(out, at + HEAD.length, from + MESSAGE_START, to);
  const end = at + HEAD.length + to - from - MESSAGE_START;
  out[end] = TAIL[0] as number;
  out[end + 1] = LF;
  return end + 2;
}
