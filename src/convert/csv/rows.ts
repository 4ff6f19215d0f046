import { type BatchBuilder, KIND } from './batch-builder.js';
import { POWERS_OF_TEN } from './number.js';

const COMMA = 44;
const LF = 10;
const CR = 13;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/** How far a cell of unknown length is read before its end is looked for, in bytes. */
export const READ_AHEAD = 16;

/** So many digits fit an int32, whose arithmetic takes half the time of a double's. */
const INT32_DIGITS = 9;

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
 * Takes rows from `bytes[from]` on into the batch, until it is full or `to` is reached; `to` stands behind an LF,
 * and no quote stands before it. Each cell that is written as usual is parsed in the loop itself, which no call
 * per cell could match; all others go to `BatchBuilder.append`. The buffer must go on for `READ_AHEAD` bytes
 * behind `to`, whatever is in them.
 */
export function parseRows(batch: BatchBuilder, bytes: Buffer, from: number, to: number): ParsedRows {
  const { kinds, lanes, doubles, booleans, indices, lastIndex, texts, numberTexts, budget, capacity } = batch;
  const columns = kinds.length;
  const last = columns - 1;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let p = from;
  let row = batch.row;
  while (p < to && row < capacity && budget.left >= 0) {
    for (let column = 0; column < columns; column++) {
      const separator = column === last ? LF : COMMA;
      const start = p;
      const at = (lanes[column] as number) + row;
      switch (kinds[column]) {
        case KIND.time: {
          // The 16 digits of any time from September 2001 on; other lengths are left to `append`.
          const a = fourDigits(view, p);
          const b = fourDigits(view, p + 4);
          const c = fourDigits(view, p + 8);
          const d = fourDigits(view, p + 12);
          const value = (a * 10_000 + b) * 1e8 + (c * 10_000 + d);
          if ((a | b | c | d) >= 0 && bytes[p + 16] === separator && value <= Number.MAX_SAFE_INTEGER) {
            doubles[at] = value;
            p += 17;
            continue;
          }
          break;
        }
        case KIND.number: {
          if (bytes[p] === MINUS) p++;
          const first = p;
          let limit = p + INT32_DIGITS;
          let small = 0;
          for (let digit = digitAt(bytes, p); p < limit && digit <= 9; digit = digitAt(bytes, ++p)) {
            small = (small * 10 + digit) | 0;
          }
          let fraction = 0;
          if (bytes[p] === POINT) {
            fraction = ++p;
            limit++;
            for (let digit = digitAt(bytes, p); p < limit && digit <= 9; digit = digitAt(bytes, ++p)) {
              small = (small * 10 + digit) | 0;
            }
          }
          let value = small;
          if (bytes[p] !== separator) {
            for (let digit = digitAt(bytes, p); digit <= 9; digit = digitAt(bytes, ++p)) {
              value = value * 10 + digit;
            }
            if (fraction === 0 && bytes[p] === POINT) {
              fraction = ++p;
              for (let digit = digitAt(bytes, p); digit <= 9; digit = digitAt(bytes, ++p)) {
                value = value * 10 + digit;
              }
            }
            if (bytes[p] !== separator) break;
          }
          // Below 2^53 every step of the mantissa was exact; past it, it can't have come back.
          if (p === first || fraction === p || fraction === first + 1 || value > Number.MAX_SAFE_INTEGER)
            break;
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
    }
    row++;
  }
  batch.row = row;
  return { position: p, refused: undefined };
}

function endOfCell(bytes: Buffer, start: number): number {
  let p = start;
  while (bytes[p] !== COMMA && bytes[p] !== LF) p++;
  return p;
}

/** 0 to 9 for a digit, more for any other byte. */
function digitAt(bytes: Buffer, p: number): number {
  return (bytes[p] as number) ^ ZERO;
}

/** The number that four digits make, read as one word and added up pair by pair; -1 where not all are digits. */
function fourDigits(view: DataView, p: number): number {
  const digits = view.getInt32(p, true) ^ 0x30303030;
  if (((digits + 0x06060606) | digits) & 0xf0f0f0f0) return -1;
  const pairs = Math.imul(digits, 10) + (digits >>> 8);
  return (pairs & 0xff) * 100 + ((pairs >>> 16) & 0xff);
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
