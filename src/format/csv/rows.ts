import { type BatchBuilder, KIND } from './batch-builder.js';
import { bitsBefore, digitsAt, fourDigits, stopsIn } from './digits.js';
import { POWERS_OF_TEN } from './number.js';

const COMMA = 44;
const LF = 10;
const CR = 13;
const MINUS = 45;
const POINT = 46;

/** How far a cell of unknown length is read before its end is looked for, in bytes. */
export const READ_AHEAD = 16;

/**
 * Rows that one call takes at most. V8 makes a loop fast that runs for long, but not what comes behind it: many
 * short calls make the whole function fast, from the first rows on.
 */
const MOST_ROWS = 1024;

/** Why a row was refused: its cell is `bytes[start]` up to `bytes[end]`; without a problem, the count is wrong. */
export interface RefusedCell {
  readonly column: number;
  readonly start: number;
  readonly end: number;
  readonly problem: string | undefined;
}

export interface ParsedRows {
  /** Where the first row begins that was not taken. */
  readonly position: number;
  readonly refused: RefusedCell | undefined;
}

/**
 * Takes rows from `bytes[from]` on into the batch, until it is full, `to` is reached, or the rows are many for one
 * call; `to` stands behind an LF, and no quote stands before it. Cells that a row begins with like the row before it
 * are taken over from there. Each other one that is written as usual is parsed in the loop itself, which no call per
 * cell could match; the rest goes to `BatchBuilder.append`. The buffer must go on for `READ_AHEAD` bytes behind
 * `to`, whatever is in them.
 */
export function parseRows(batch: BatchBuilder, bytes: Buffer, from: number, to: number): ParsedRows {
  const { kinds, lanes, doubles, booleans, indices, lastIndex, texts, numberTexts, budget, capacity } = batch;
  const columns = kinds.length;
  const last = columns - 1;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  /** The columns that a row may share with the one before it, and where its cells end, counted from its start. */
  const leading = leadingColumns(kinds);
  const ends = new Int32Array(columns);
  let shared = 0;
  let before = from;
  let p = from;
  let row = batch.row;
  const most = Math.min(capacity, row + MOST_ROWS);
  /** Up to which row a leading column has its values: what it shares with rows before comes run by run. */
  const filled = new Int32Array(leading).fill(row);
  while (p < to && row < most && budget.left >= 0) {
    const rowStart = p;
    let column = 0;
    if (shared > 0) {
      const length = sharedLength(view, before, p, ends[shared - 1] as number);
      while (column < shared && (ends[column] as number) <= length) p = rowStart + (ends[column++] as number);
    }
    shared = leading;
    before = rowStart;
    for (; column < columns; column++) {
      const separator = column === last ? LF : COMMA;
      const start = p;
      const at = (lanes[column] as number) + row;
      if (column < leading) {
        if ((filled[column] as number) < row) batch.repeat(column, filled[column] as number, row);
        filled[column] = row + 1;
      }
      switch (kinds[column]) {
        case KIND.time: {
          // The 16 digits of any time from September 2001 on; other lengths are left to `append`.
          const a = digitsAt(view, p);
          const b = digitsAt(view, p + 4);
          const c = digitsAt(view, p + 8);
          const d = digitsAt(view, p + 12);
          if ((stopsIn(a) | stopsIn(b) | stopsIn(c) | stopsIn(d)) === 0 && bytes[p + 16] === separator) {
            const high = fourDigits(a) * 10_000 + fourDigits(b);
            const value = high * 1e8 + (fourDigits(c) * 10_000 + fourDigits(d));
            if (value <= Number.MAX_SAFE_INTEGER) {
              doubles[at] = value;
              p += 17;
              ends[column] = p - rowStart;
              continue;
            }
          }
          break;
        }
        case KIND.number: {
          if (bytes[p] === MINUS) p++;
          const first = p;
          let fraction = 0;
          let value = 0;
          for (;;) {
            const digits = digitsAt(view, p);
            const stops = stopsIn(digits);
            if (stops === 0) {
              value = value * 10_000 + fourDigits(digits);
              p += 4;
              continue;
            }
            const bits = bitsBefore(stops);
            if (bits > 0) {
              value = value * (POWERS_OF_TEN[bits >> 3] as number) + fourDigits(digits << (32 - bits));
              p += bits >> 3;
            }
            if (fraction > 0 || bytes[p] !== POINT) break;
            fraction = ++p;
          }
          if (bytes[p] !== separator || p === first || fraction === p || fraction === first + 1) break;
          // Up to 2^53 every step of the mantissa was exact; past it, it can't have come back.
          if (value > Number.MAX_SAFE_INTEGER) break;
          if (fraction > 0) {
            if (p - fraction > 22) break;
            value /= POWERS_OF_TEN[p - fraction] as number;
          }
          doubles[at] = first > start ? -value : value;
          numberTexts[column]?.appendDigits(view, start, p);
          p++;
          continue;
        }
        case KIND.boolean: {
          const isTrue = bytes[p] === 0x74;
          if (isTrue ? isRue(bytes, p + 1) : isFalse(bytes, p)) {
            p += isTrue ? 4 : 5;
            if (bytes[p] === separator) {
              booleans[at] = isTrue ? 1 : 0;
              p++;
              ends[column] = p - rowStart;
              continue;
            }
          }
          break;
        }
        default: {
          const index = lastIndex[column] as number;
          const text = texts[column];
          if (index >= 0 && text) {
            const { bytes: known, offsets } = text.dictionary;
            let q = offsets[index] as number;
            const end = offsets[index + 1] as number;
            while (q < end && bytes[p] === known[q]) {
              p++;
              q++;
            }
            // A CR before the last LF belongs to the line's end, never to the text.
            if (q === end && bytes[p] === separator && (column < last || bytes[p - 1] !== CR)) {
              indices[at] = index;
              p++;
              ends[column] = p - rowStart;
              continue;
            }
          }
        }
      }
      const separatorAt = endOfCell(bytes, start);
      const end =
        column === last && bytes[separatorAt - 1] === CR && separatorAt > start
          ? separatorAt - 1
          : separatorAt;
      batch.row = row;
      if (bytes[separatorAt] !== separator) {
        return { position: from, refused: { column, start, end, problem: undefined } };
      }
      const problem = batch.append(column, bytes, start, end);
      if (problem !== undefined) return { position: from, refused: { column, start, end, problem } };
      p = separatorAt + 1;
      ends[column] = p - rowStart;
      // From a null, and from what is no entry of a dictionary, the row behind it has nothing to take over.
      const isEntry = start < end && kinds[column] === KIND.text && (lastIndex[column] as number) >= 0;
      if (column < shared && !isEntry) shared = column;
    }
    row++;
  }
  for (let column = 0; column < leading; column++) batch.repeat(column, filled[column] as number, row);
  batch.row = row;
  return { position: p, refused: undefined };
}

function endOfCell(bytes: Buffer, start: number): number {
  let p = start;
  while (bytes[p] !== COMMA && bytes[p] !== LF) p++;
  return p;
}

/** How many columns come before the first number. */
function leadingColumns(kinds: Uint8Array): number {
  const first = kinds.indexOf(KIND.number);
  return first < 0 ? kinds.length : first;
}

/** How many bytes from `a` and from `b` on are the same, up to `most` or some more. */
function sharedLength(view: DataView, a: number, b: number, most: number): number {
  let length = 0;
  // Eight bytes at a time as doubles: one instruction each. A zero may be two things, NaN is never the same.
  for (; length < most; length += 8) {
    const double = view.getFloat64(a + length, true);
    if (double !== view.getFloat64(b + length, true) || double === 0) break;
  }
  for (; length < most; length += 4) {
    const difference = view.getInt32(a + length, true) ^ view.getInt32(b + length, true);
    if (difference !== 0) return length + ((31 - Math.clz32(difference & -difference)) >> 3);
  }
  return most;
}

function isRue(bytes: Buffer, p: number): boolean {
  return bytes[p] === 0x72 && bytes[p + 1] === 0x75 && bytes[p + 2] === 0x65;
}

function isFalse(bytes: Buffer, p: number): boolean {
  return (
    bytes[p] === 0x66 &&
    bytes[p + 1] === 0x61 &&
    bytes[p + 2] === 0x6c &&
    bytes[p + 3] === 0x73 &&
    bytes[p + 4] === 0x65
  );
}
