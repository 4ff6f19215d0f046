import type { RawBatch } from '../../feeds/read/raw-batch.js';
import { MESSAGE_START, TIMESTAMP_BYTES } from '../../feeds/read/raw-line.js';
import type { LineWriter } from '../line-writer.js';

/** A line's beginning, with room for its timestamp, and its end. */
const HEAD = Buffer.from(`{"localTimestamp":"${' '.repeat(TIMESTAMP_BYTES)}","message":`);
const TIMESTAMP_AT = '{"localTimestamp":"'.length;
const TAIL = Buffer.from('}\n');
const LF = 0x0a;

/**
 * Gathers lines of the raw data API as `{"localTimestamp":"…","message":…}` (contract, Replay). The message is copied as
 * it is, byte for byte.
 */
export class RawLines {
  readonly #lines: LineWriter;

  constructor(lines: LineWriter) {
    this.#lines = lines;
  }

  /** Adds lines of a batch. */
  async add({ text, starts, ends }: RawBatch, start: number, end: number): Promise<void> {
    const lines = this.#lines;
    for (let line = start; line < end; line++) {
      const from = starts[line] as number;
      const to = ends[line] as number;
      const size = HEAD.length + to - from - MESSAGE_START + TAIL.length;
      if (!lines.fits(size)) await lines.flush();
      if (lines.fits(size)) {
        format(text, from, to, lines.bytes, lines.length);
        lines.add(size, 1);
      } else {
        const bytes = Buffer.allocUnsafeSlow(size);
        format(text, from, to, bytes, 0);
        await lines.write(bytes, 1);
      }
    }
  }

  /** Adds the empty line that stands for a broken connection. */
  async addBreak(): Promise<void> {
    const lines = this.#lines;
    if (!lines.fits(1)) await lines.flush();
    lines.bytes[lines.length] = LF;
    lines.add(1, 0);
  }
}

/** Writes a line at a position. */
function format(text: Buffer, from: number, to: number, out: Buffer, at: number): void {
  HEAD.copy(out, at);
  text.copy(out, at + TIMESTAMP_AT, from, from + TIMESTAMP_BYTES);
  text.copy(out, at + HEAD.length, from + MESSAGE_START, to);
  const end = at + HEAD.length + to - from - MESSAGE_START;
  out[end] = TAIL[0] as number;
  out[end + 1] = LF;
}
