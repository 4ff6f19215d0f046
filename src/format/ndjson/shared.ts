import { CELL, type Cells } from './cells.js';

export interface SharedCells {
  /** How many columns were looked at: those before the first number, the first plain text, and the first null. */
  readonly leading: number;
  /** How many of them a row begins with that are as in the row before it. */
  readonly shared: Uint8Array;
}

/** Rows of one message begin alike, with exchange, symbol, and times. */
export function sharedCells(cells: readonly Cells[], rows: number): SharedCells {
  const shared = new Uint8Array(rows);
  const most = Math.min(cells.length - 1, 255);
  let leading = 0;
  for (; leading < most; leading++) {
    const { how, nulls, indices, booleans, doubles } = cells[leading] as Cells;
    if (nulls || how > CELL.time) break;
    extend(shared, leading, how === CELL.entry ? indices : how === CELL.boolean ? booleans : doubles);
  }
  return { leading, shared };
}

function extend(shared: Uint8Array, column: number, values: Int32Array | Uint8Array | Float64Array): void {
  for (let row = 1; row < shared.length; row++) {
    if (shared[row] === column && values[row] === values[row - 1]) shared[row] = column + 1;
  }
}
