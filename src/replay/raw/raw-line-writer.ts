import type { RawBatch } from '../../feeds/read/raw-batch.js';
import { MESSAGE_START, TIMESTAMP_BYTES } from '../../feeds/read/raw-line.js';
import type { LineSink, WrittenCounts } from '../../market/lines/line-sink.js';
import { LineWriter } from '../line-writer.js';
import { ADDED_BYTES, LINE_END, LINE_HEAD, LINE_MIDDLE, writeRawLines } from './kernel/raw-line-kernel.js';
import type { RawSink } from './merge-raw.js';

const LF = 0x0a;

/**
 * Gathers lines of the raw data API as `{"localTimestamp":"…","message":…}` (contract, Replay). The message is copied as
 * it is, byte for byte.
 */
export class RawLineWriter implements RawSink {
  readonly #lines: LineWriter;

  /** @param size bytes of one write; left out, 512 KB. */
  constructor(output: LineSink, written: WrittenCounts, size?: number) {
    this.#lines = new LineWriter(output, written, size);
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

  /** The line behind those that go into what is left of the write. */
  #fitting({ starts, ends }: RawBatch, start: number, end: number): number {
    const from = starts[start] as number;
    let size = 0;
    let line = start;
    for (; line < end; line++) {
      const to = ends[line] as number;
      size += to - (starts[line] as number) + ADDED_BYTES;
      if (!this.#lines.fits(size) || to - from > this.#lines.bytes.length) break;
    }
    return line;
  }

  #take(batch: RawBatch, start: number, end: number): void {
    const { bytes, length } = this.#lines;
    this.#lines.add(writeRawLines(batch, start, end, bytes, length) - length, end - start);
  }

  /** A line that is longer than a write. */
  async #writeAlone({ text, starts, ends }: RawBatch, line: number): Promise<void> {
    const source = text.subarray(starts[line], ends[line]);
    const timestamp = source.subarray(0, TIMESTAMP_BYTES);
    const message = source.subarray(MESSAGE_START);
    await this.#lines.write(Buffer.concat([LINE_HEAD, timestamp, LINE_MIDDLE, message, LINE_END]), 1);
  }
}
