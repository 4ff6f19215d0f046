import type { Cell } from './file-content.js';

/** A column with longer texts has no extremes: they would only take memory. */
const MAX_EXTREME_CHARACTERS = 4096;

/** Counts nulls and finds the extremes of a column, cell by cell. */
export class ColumnStats {
  nulls = 0;
  min: Cell | undefined;
  max: Cell | undefined;
  #hasLongText = false;

  add(value: Cell): void {
    if (value === null) {
      this.nulls++;
      return;
    }
    if (this.#hasLongText) return;
    if (typeof value === 'string' && value.length > MAX_EXTREME_CHARACTERS) {
      this.#hasLongText = true;
      this.min = undefined;
      this.max = undefined;
      return;
    }
    if (this.min === undefined || this.min === null || isLess(value, this.min)) this.min = value;
    if (this.max === undefined || this.max === null || isLess(this.max, value)) this.max = value;
  }
}

function isLess(a: NonNullable<Cell>, b: NonNullable<Cell>): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return !a && b;
  return isTextLess(String(a), String(b));
}

/** Compares texts by code points, which is the order of their UTF-8 bytes and of Parquet. */
function isTextLess(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return i === length ? a.length < b.length : rank(a.charCodeAt(i)) < rank(b.charCodeAt(i));
}

/** UTF-16 sorts the characters from U+10000 on (surrogates, d800 to dfff) before those from U+E000 on. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x2800 : unit;
}
