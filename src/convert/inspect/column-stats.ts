import type { Cell } from './inspection.js';

/** Counts nulls and finds the extremes of a column, cell by cell. */
export class ColumnStats {
  nulls = 0;
  min: Cell | undefined;
  max: Cell | undefined;

  add(value: Cell): void {
    if (value === null) {
      this.nulls++;
      return;
    }
    if (this.min === undefined || this.min === null || isLess(value, this.min)) this.min = value;
    if (this.max === undefined || this.max === null || isLess(this.max, value)) this.max = value;
  }
}

/** Texts by their UTF-8 bytes, as Parquet orders them. */
function isLess(a: NonNullable<Cell>, b: NonNullable<Cell>): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return !a && b;
  const [x, y] = [String(a), String(b)];
  return x !== y && Buffer.compare(Buffer.from(x), Buffer.from(y)) < 0;
}
