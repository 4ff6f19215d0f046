// Copies leading cells from the previous row: rows of one message begin with equal cells.
import { sharedLength } from '../bytes';
import { columnAt, columnCount, NUMBER, rowCount, TEXT, TIME } from './columns';
import { allocate } from '../memory';

/** Number of columns before the first number; only these are compared. */
let leadingColumns: i32 = 0;
/** Number of columns compared in this batch: those before the first plain text. */
let leading: i32 = 0;
/** Number of columns that may be copied from the previous row; at most `leading`. */
let shared: i32 = 0;
/** Start of the previous and of the current row. */
let previousRow: usize = 0;
let rowStart: usize = 0;
/** For each leading column, the end of its cell with the separator, relative to the row's start. */
let ends: usize = 0;

/** Call it when the columns are set; false if the memory is full. */
export function initSharing(): bool {
  leadingColumns = 0;
  while (leadingColumns < columnCount && columnAt(leadingColumns).kind != NUMBER) leadingColumns++;
  ends = allocate((<u64>leadingColumns << 2) + 4);
  clearSharing();
  return ends != 0;
}

/** Starts a batch. */
export function clearSharing(): void {
  leading = leadingColumns;
  shared = 0;
}

/** Starts a new text, in which the previous row is missing. */
export function clearPreviousRow(): void {
  shared = 0;
}

/** Stops copying in this batch from a column that has turned to plain text on. */
export function limitLeading(column: i32): void {
  if (column < leading) leading = column;
  limitShared(column);
}

/** The next row cannot copy a cell whose text is missing in the current row. */
export function limitShared(column: i32): void {
  if (column < shared) shared = column;
}

// @ts-ignore: decorator
@inline
export function setEnd(column: i32, end: usize): void {
  if (column < leading) store<i32>(ends + (<usize>column << 2), <i32>(end - rowStart));
}

/**
 * Starts a row at `p`, and copies the values of its leading cells that equal the previous row's; returns
 * their number.
 */
export function beginRow(p: usize): i32 {
  const count = shared > 0 ? shareCells(p) : 0;
  previousRow = p;
  rowStart = p;
  shared = leading;
  return count;
}

/** Address of the end of the first `count` cells of the current row. */
export function getSharedEnd(count: i32): usize {
  return rowStart + load<i32>(ends + (<usize>(count - 1) << 2));
}

function shareCells(p: usize): i32 {
  const length = sharedLength(previousRow, p, load<i32>(ends + (<usize>(shared - 1) << 2)));
  let column = 0;
  while (column < shared && load<i32>(ends + (<usize>column << 2)) <= length) {
    const record = columnAt(column);
    const kind = record.kind;
    if (kind == TIME) {
      const at = record.lane + (<usize>rowCount << 3);
      store<u64>(at, load<u64>(at - 8));
    } else if (kind == TEXT) {
      const at = record.lane + (<usize>rowCount << 2);
      store<i32>(at, load<i32>(at - 4));
    } else {
      const at = record.lane + rowCount;
      store<u8>(at, load<u8>(at - 1));
    }
    column++;
  }
  return column;
}

