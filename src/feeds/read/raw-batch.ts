import { TickhaulError } from '../../base/errors.js';
import type { Minute, MinuteRange } from '../../dataset/minute.js';
import { isLineStart, MESSAGE_START, TimestampReader } from './raw-line.js';

const LF = 0x0a;
const TICKS_PER_MINUTE = 600_000_000;
/** Room of a new batch; it grows to the lines of a piece of text. */
const FEW_LINES = 256;
const NO_TEXT: Buffer = Buffer.alloc(0);

/**
 * Lines of a slice, as an input of a merge. Line i is `text` from `starts[i]` up to, not including, `ends[i]`, without
 * its LF. Where the collector's connection broke both are the same: how many empty lines say so. Its memory is used again.
 */
export class RawBatch {
  text: Buffer = NO_TEXT;
  count = 0;
  starts = new Int32Array(FEW_LINES);
  ends = new Int32Array(FEW_LINES);
  /** Microseconds since the period's start, of which one digit is a fraction; of a break, those of the line behind it. */
  localTimestamps = new Float64Array(FEW_LINES);

  add(start: number, end: number, localTimestamp: number): void {
    if (this.count === this.starts.length) this.#grow();
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.localTimestamps[this.count++] = localTimestamp;
  }

  /** Whether it stands for a broken connection. */
  isBreak(line: number): boolean {
    return this.starts[line] === this.ends[line];
  }

  clear(): void {
    this.text = NO_TEXT;
    this.count = 0;
  }

  #grow(): void {
    const size = 2 * this.count;
    const grown = <T extends Int32Array | Float64Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.starts = grown(this.starts, new Int32Array(size));
    this.ends = grown(this.ends, new Int32Array(size));
    this.localTimestamps = grown(this.localTimestamps, new Float64Array(size));
  }
}

/** What is wanted of a slice that has more minutes. */
export interface SlicePart {
  readonly minutes: MinuteRange;
  /** Where the text of these minutes begins and ends, in bytes; undefined where the slice doesn't show it. */
  readonly text: { readonly start: number; readonly end: number } | undefined;
  /** Whether the slice begins before the period. */
  readonly startsEarly: boolean;
}

/**
 * Cuts the text of slices into lines. A run of breaks is one, over the ends of slices too, and stands before the next
 * line, whose time it has.
 */
export class LineIndexer {
  readonly #start: Minute;
  readonly #timestamps: TimestampReader;
  /** Of the slice at hand; undefined where all of it is wanted. */
  #part: SlicePart | undefined;
  /** Bytes of the slice's text that were cut. */
  #position = 0;
  /** Where a slice doesn't show its minutes: whether a break is in the period, by the line before it. */
  #isWithin = true;
  /** Empty lines since the last line of this slice, and those behind the slices before. */
  #breaks = 0;
  #breaksBefore = 0;

  /** @param start the period's. */
  constructor(start: Minute) {
    this.#start = start;
    this.#timestamps = new TimestampReader(start);
  }

  /** To be called before a slice. @param part what is wanted of it; undefined for all. */
  startSlice(part: SlicePart | undefined): void {
    this.#part = part;
    this.#position = 0;
    this.#isWithin = !part?.startsEarly;
  }

  /**
   * Puts lines into an empty batch.
   * @param text whole lines, which the batch keeps.
   * @throws TickhaulError `createCorruptError` for a line that doesn't begin with a local timestamp; the lines before it are there.
   */
  cut(text: Buffer, batch: RawBatch): void {
    batch.text = text;
    const part = this.#part;
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf(LF, at);
      if (end === at) {
        if (!part || this.#hasBreak(part, this.#position + at)) this.#breaks++;
      } else {
        const isLine = end - at >= MESSAGE_START && isLineStart(text, at);
        const ticks = isLine ? this.#timestamps.ticks(text, at) : Number.NaN;
        if (Number.isNaN(ticks)) throw createLineError(text, at, end);
        if (!part || this.#hasLine(part, ticks)) this.#add(at, end, ticks / 10, batch);
      }
      at = end + 1;
    }
    this.#position += text.length;
  }

  /** To be called behind a slice. */
  endSlice(): void {
    this.#breaksBefore += this.#breaks;
    this.#breaks = 0;
  }

  /** Puts a break behind the last line of all, where there was one. */
  end(batch: RawBatch): void {
    this.#addBreak(batch, Number.POSITIVE_INFINITY);
  }

  #hasBreak({ text }: SlicePart, position: number): boolean {
    return text ? position >= text.start && position < text.end : this.#isWithin;
  }

  /** Between lines of two minutes a break is that of the line before it, unless the slice shows where minutes end. */
  #hasLine({ minutes: { start, end }, text, startsEarly }: SlicePart, ticks: number): boolean {
    const minute = this.#start + Math.floor(ticks / TICKS_PER_MINUTE);
    if (minute < start && !text) this.#breaks = 0;
    this.#isWithin = minute < end && (minute >= start || !startsEarly);
    return minute >= start && minute < end;
  }

  #add(start: number, end: number, time: number, batch: RawBatch): void {
    this.#addBreak(batch, time);
    batch.add(start, end, time);
  }

  #addBreak(batch: RawBatch, time: number): void {
    const breaks = this.#breaks + this.#breaksBefore;
    if (breaks > 0) batch.add(breaks, breaks, time);
    this.#breaks = 0;
    this.#breaksBefore = 0;
  }
}

function createLineError(text: Buffer, at: number, end: number): TickhaulError {
  const found = text.toString('latin1', at, Math.min(end, at + 40)).replace(/[^ -~]+/g, '.');
  return new TickhaulError('corrupt', `expected a line that begins with a local timestamp, found "${found}"`);
}
