import type { RawBatch } from '../../feeds/read/raw-batch.js';
import { MESSAGE_START, TIMESTAMP_BYTES } from '../../feeds/read/raw-line.js';
import type { LineSink, Written } from '../../market/lines/line-sink.js';
import { LineWriter, WRITE } from '../line-writer.js';
import type { RawSink } from './merge-raw.js';

const LF = 0x0a;
const BRACE = 0x7d;
/** What stands before a timestamp, and between it and the message. */
const HEAD = Uint8Array.from(Buffer.from('{"localTimestamp":"'));
const MIDDLE = Uint8Array.from(Buffer.from('","message":'));
/** Bytes that a line is longer by than what it is made of, its LF counted. */
const ADDED = HEAD.length + TIMESTAMP_BYTES + MIDDLE.length - MESSAGE_START + 2;

/**
 * Gathers lines of the raw data API as `{"localTimestamp":"…","message":…}` (contract, Replay). The message is copied as
 * it is, byte for byte.
 */
export class RawLines implements RawSink {
  /** The text of lines goes behind what is to be written: a copy within one array is a fraction of one between two. */
  readonly #lines: LineWriter;

  constructor(output: LineSink, written: Written) {
    this.#lines = new LineWriter(output, written, WRITE);
  }

  /** Adds lines of a batch. */
  async add(batch: RawBatch, start: number, end: number): Promise<void> {
    for (let line = start; line < end; ) {
      const until = this.#fitting(batch, line, end);
      if (until > line) this.#take(batch, line, until);
      else if (this.#lines.length > 0) await this.flush();
      else await this.#writeAlone(batch, line++);
      line = Math.max(line, until);
    }
  }

  /** Adds the empty line that stands for a broken connection. */
  async addBreak(): Promise<void> {
    const lines = this.#lines;
    if (!lines.fits(1)) await lines.flush();
    lines.bytes[lines.length] = LF;
    lines.add(1, 0);
  }

  flush(): Promise<void> {
    return this.#lines.flush();
  }

  /** The line behind those that go into what is left of the write, and whose text goes behind it. */
  #fitting({ starts, ends }: RawBatch, start: number, end: number): number {
    const from = starts[start] as number;
    let size = 0;
    let line = start;
    for (; line < end; line++) {
      const to = ends[line] as number;
      size += to - (starts[line] as number) + ADDED;
      if (!this.#lines.fits(size) || to - from > WRITE) break;
    }
    return line;
  }

  #take({ text, starts, ends }: RawBatch, start: number, end: number): void {
    const { bytes, length } = this.#lines;
    const from = starts[start] as number;
    bytes.set(text.subarray(from, ends[end - 1] as number), WRITE);
    const moved = WRITE - from;
    let at = length;
    for (let line = start; line < end; line++) {
      at = format(bytes, (starts[line] as number) + moved, (ends[line] as number) + moved, at);
    }
    this.#lines.add(at - length, end - start);
  }

  /** A line that is longer than a write. */
  async #writeAlone({ text, starts, ends }: RawBatch, line: number): Promise<void> {
    const source = text.subarray(starts[line] as number, ends[line] as number);
    const size = source.length + ADDED;
    const bytes = new Uint8Array(size + source.length);
    bytes.set(source, size);
    format(bytes, size, bytes.length, 0);
    await this.#lines.write(bytes.subarray(0, size), 1);
  }
}

/** Writes the line whose text stands behind in the same bytes; returns the position behind it. */
function format(bytes: Uint8Array, from: number, to: number, start: number): number {
  let at = start;
  for (let i = 0; i < HEAD.length; i++) bytes[at++] = HEAD[i] as number;
  for (let i = from; i < from + TIMESTAMP_BYTES; i++) bytes[at++] = bytes[i] as number;
  for (let i = 0; i < MIDDLE.length; i++) bytes[at++] = MIDDLE[i] as number;
  bytes.copyWithin(at, from + MESSAGE_START, to);
  at += to - from - MESSAGE_START;
  bytes[at] = BRACE;
  bytes[at + 1] = LF;
  return at + 2;
}
