import { TickhaulError } from '../base/errors.js';
import { type Minute, type MinuteRange, MS_PER_MINUTE } from '../day-files/day.js';

/**
 * A line of a slice (docs/spec/raw-feeds-api.md#lines): 28 bytes of local timestamp, a space, the exchange's
 * own message, as in `2019-06-01T00:03:03.1238784Z {"table":"trade",...}`. Lines are split by position; the
 * message is not inspected.
 */
export const TIMESTAMP_BYTES = 28;
/** Position of the message in a line. */
export const MESSAGE_START = 29;

const TICKS_PER_MINUTE = 600_000_000;
/** Years below 100 are not valid; Go's zero time is in year 1. */
const MIN_MS = Date.UTC(100, 0);

const ZERO = 0x30;
const DASH = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;
const SPACE = 0x20;

/** Value of two ASCII digits, indexed by first byte × 256 + second byte; negative if one is not a digit. */
const PAIRS = new Int8Array(65_536).fill(-1);
for (let i = 0; i < 100; i++) PAIRS[((ZERO + Math.floor(i / 10)) << 8) | (ZERO + (i % 10))] = i;

/** Whether a line begins here, by the separators in its local timestamp. */
export function isLineStart(text: Uint8Array, at: number): boolean {
  return (
    text[at + 28] === SPACE &&
    text[at + 27] === LETTER_Z &&
    text[at + 19] === DOT &&
    text[at + 16] === COLON &&
    text[at + 13] === COLON &&
    text[at + 10] === LETTER_T &&
    text[at + 7] === DASH &&
    text[at + 4] === DASH
  );
}

/** Parses local timestamps into tenths of a microsecond since a minute, exact within 28 years of it. */
class TimestampReader {
  readonly #base: number;
  /** The first 16 bytes, up to the minute, of the timestamp parsed last. */
  #year = -1;
  #month = -1;
  #day = -1;
  #minute = -1;
  /** Tenths of a microsecond from the base to that minute; NaN for a minute that does not exist. */
  #minuteTicks = 0;

  /** @param base a minute since the epoch. */
  constructor(base: number) {
    this.#base = base;
  }

  /**
   * Tenths of a microsecond from the base to the local timestamp of the line at `at`, which must have 29 bytes;
   * NaN if it does not begin with a valid time and a space.
   */
  ticks(text: DataView, at: number): number {
    const year = text.getUint32(at);
    const month = text.getUint32(at + 4);
    const day = text.getUint32(at + 8);
    const minute = text.getUint32(at + 12);
    // Most lines have the minute of the line before.
    if (minute !== this.#minute || day !== this.#day || month !== this.#month || year !== this.#year) {
      this.#year = year;
      this.#month = month;
      this.#day = day;
      this.#minute = minute;
      this.#minuteTicks = this.#toTicks(
        Buffer.from(text.buffer, text.byteOffset + at, 16).toString('latin1'),
      );
    }
    const second = text.getUint32(at + 16);
    const decimals = text.getUint32(at + 20);
    const end = text.getUint32(at + 24);
    const seconds = PAIRS[(second >>> 8) & 0xffff] as number;
    const a = PAIRS[decimals >>> 16] as number;
    const b = PAIRS[decimals & 0xffff] as number;
    const c = PAIRS[end >>> 16] as number;
    const last = ((end >>> 8) & 0xff) - ZERO;
    const isValid =
      (seconds | (59 - seconds) | a | b | c | last | (9 - last)) >= 0 &&
      second >>> 24 === COLON &&
      (second & 0xff) === DOT &&
      (end & 0xff) === LETTER_Z &&
      text.getUint8(at + 28) === SPACE;
    if (!isValid) return Number.NaN;
    return this.#minuteTicks + seconds * 10_000_000 + a * 100_000 + b * 1000 + c * 10 + last;
  }

  #toTicks(minute: string): number {
    const ms = Date.parse(`${minute}Z`);
    const isThere = ms >= MIN_MS && new Date(ms).toISOString().startsWith(minute);
    return isThere ? (ms / MS_PER_MINUTE - this.#base) * TICKS_PER_MINUTE : Number.NaN;
  }
}

const LF = 0x0a;
/** Capacity of a new batch in lines; it grows to fit a piece of text. */
const INITIAL_LINES = 256;
const NO_TEXT: Buffer = Buffer.alloc(0);

/**
 * Lines of a slice as an input of a merge. Line i is `text` from `starts[i]` (inclusive) to `ends[i]`
 * (exclusive), without its LF. For a disconnect both are equal to its number of empty lines. The memory is
 * reused.
 */
export class RawBatch {
  text: Buffer = NO_TEXT;
  count = 0;
  starts = new Int32Array(INITIAL_LINES);
  ends = new Int32Array(INITIAL_LINES);
  /** Microseconds since the period's start, with one decimal; a disconnect has those of the next line. */
  localTimestamps = new Float64Array(INITIAL_LINES);

  add(start: number, end: number, localTimestamp: number): void {
    if (this.count === this.starts.length) this.#grow();
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.localTimestamps[this.count++] = localTimestamp;
  }

  /** Whether an entry is a disconnect. */
  isDisconnect(line: number): boolean {
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

/** The selected part of a slice that has more minutes. */
export interface SlicePart {
  readonly minutes: MinuteRange;
  /** Position of these minutes in the text, in bytes; undefined if it cannot be determined from the slice. */
  readonly text: { readonly start: number; readonly end: number } | undefined;
  /** Whether the slice begins before the period. */
  readonly startsEarly: boolean;
}

/**
 * Splits the text of slices into lines. Consecutive empty lines are one disconnect, also across slices; it
 * precedes the next line and has its time.
 */
export class LineIndexer {
  readonly #start: Minute;
  readonly #timestamps: TimestampReader;
  /** The selected part of the current slice; undefined for all of it. */
  #part: SlicePart | undefined;
  /** Bytes of the slice's text processed so far. */
  #position = 0;
  /**
   * Whether an empty line is in the period, by the line before it, if the slice does not show its minutes.
   */
  #isWithin = true;
  /** Empty lines since the last line of this slice, and below those at the end of earlier slices. */
  #emptyLines = 0;
  #emptyLinesBefore = 0;

  /** @param start start of the period. */
  constructor(start: Minute) {
    this.#start = start;
    this.#timestamps = new TimestampReader(start);
  }

  /** To be called before each slice. @param part the selected part; undefined for all. */
  startSlice(part: SlicePart | undefined): void {
    this.#part = part;
    this.#position = 0;
    this.#isWithin = !part?.startsEarly;
  }

  /**
   * Adds lines to an empty batch.
   * @param text whole lines; the batch keeps a reference.
   * @throws TickhaulError `corrupt` for a line that does not begin with a local timestamp; the lines before
   * it are added.
   */
  splitLines(text: Buffer, batch: RawBatch): void {
    batch.text = text;
    const part = this.#part;
    const view = new DataView(text.buffer, text.byteOffset, text.length);
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf(LF, at);
      if (end === at) {
        if (!part || this.#includesEmptyLine(part, this.#position + at)) this.#emptyLines++;
      } else {
        const ticks = end - at >= MESSAGE_START ? this.#timestamps.ticks(view, at) : Number.NaN;
        if (Number.isNaN(ticks)) throw createLineError(text, at, end);
        if (!part || this.#includesLine(part, ticks)) this.#add(at, end, ticks / 10, batch);
      }
      at = end + 1;
    }
    this.#position += text.length;
  }

  /** To be called after each slice. */
  endSlice(): void {
    this.#emptyLinesBefore += this.#emptyLines;
    this.#emptyLines = 0;
  }

  /** Adds a disconnect at the end of the period, if there is one. */
  end(batch: RawBatch): void {
    this.#addDisconnect(batch, Number.POSITIVE_INFINITY);
  }

  #includesEmptyLine({ text }: SlicePart, position: number): boolean {
    return text ? position >= text.start && position < text.end : this.#isWithin;
  }

  /**
   * A disconnect between lines of two minutes belongs to the line before it, unless the slice shows where
   * minutes end.
   */
  #includesLine({ minutes: { start, end }, text, startsEarly }: SlicePart, ticks: number): boolean {
    const minute = this.#start + Math.floor(ticks / TICKS_PER_MINUTE);
    if (minute < start && !text) this.#emptyLines = 0;
    this.#isWithin = minute < end && (minute >= start || !startsEarly);
    return minute >= start && minute < end;
  }

  #add(start: number, end: number, time: number, batch: RawBatch): void {
    this.#addDisconnect(batch, time);
    batch.add(start, end, time);
  }

  #addDisconnect(batch: RawBatch, time: number): void {
    const breaks = this.#emptyLines + this.#emptyLinesBefore;
    if (breaks > 0) batch.add(breaks, breaks, time);
    this.#emptyLines = 0;
    this.#emptyLinesBefore = 0;
  }
}

function createLineError(text: Buffer, at: number, end: number): TickhaulError {
  const found = text.toString('latin1', at, Math.min(end, at + 40)).replace(/[^ -~]+/g, '.');
  return new TickhaulError('corrupt', `expected a line that begins with a local timestamp, found "${found}"`);
}
