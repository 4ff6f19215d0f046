import type { LineSink, WrittenCounts } from '../../market/lines/line-sink.js';
import type { OpenedFeed } from '../../raw-feeds/open-feed.js';
import { MESSAGE_START, type RawBatch, TIMESTAMP_BYTES } from '../../raw-feeds/read/raw-batch.js';
import { LineWriter } from '../line-writer.js';
import { ADDED_BYTES, LINE_END, LINE_HEAD, LINE_MIDDLE, writeRawLines } from './kernel/raw-line-kernel.js';
import { mergeRaw, type RawMergeInput, type RawSink } from './merge-raw.js';

interface RawReplayInput extends Omit<RawMergeInput, 'parts' | 'lines'> {
  readonly feed: OpenedFeed;
  readonly output: LineSink;
  readonly written: WrittenCounts;
}

/**
 * Writes an exchange's own messages in the order of their receipt, and an empty line for each disconnect if
 * requested.
 * @throws TickhaulError as `mergeRaw`.
 */
export function replayRaw({ feed, output, written, ...input }: RawReplayInput): Promise<void> {
  const lines = new RawLineWriter(output, written, input.run.writeBytes);
  return mergeRaw({ ...input, parts: feed.parts, lines });
}

const LF = 0x0a;

/**
 * Collects lines of the raw feeds API as `{"localTimestamp":"…","message":…}`, where the message keeps its
 * bytes.
 */
export class RawLineWriter implements RawSink {
  readonly #lines: LineWriter;

  /** @param size bytes of one write; 512 KB by default. */
  constructor(output: LineSink, written: WrittenCounts, size?: number) {
    this.#lines = new LineWriter(output, written, size);
  }

  async add(batch: RawBatch, start: number, end: number): Promise<void> {
    for (let line = start; line < end; ) {
      const until = this.#findFittingEnd(batch, line, end);
      if (until > line) this.#copyLines(batch, line, until);
      else if (this.#lines.length > 0) await this.flush();
      else await this.#writeLongLine(batch, line++);
      line = Math.max(line, until);
    }
  }

  /** Adds the empty line that marks a disconnect. */
  async addDisconnect(): Promise<void> {
    const lines = this.#lines;
    if (!lines.fits(1)) await lines.flush();
    lines.bytes[lines.length] = LF;
    lines.add(1, 0);
  }

  flush(): Promise<void> {
    return this.#lines.flush();
  }

  /** Returns the index after the last line that fits into the rest of the write. */
  #findFittingEnd({ starts, ends }: RawBatch, start: number, end: number): number {
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

  #copyLines(batch: RawBatch, start: number, end: number): void {
    const { bytes, length } = this.#lines;
    this.#lines.add(writeRawLines(batch, start, end, bytes, length) - length, end - start);
  }

  /** Writes a line that is longer than a whole write. */
  async #writeLongLine({ text, starts, ends }: RawBatch, line: number): Promise<void> {
    const source = text.subarray(starts[line], ends[line]);
    const timestamp = source.subarray(0, TIMESTAMP_BYTES);
    const message = source.subarray(MESSAGE_START);
    await this.#lines.write(Buffer.concat([LINE_HEAD, timestamp, LINE_MIDDLE, message, LINE_END]), 1);
  }
}
