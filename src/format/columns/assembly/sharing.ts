// Copies cells that equal those of the previous row: rows of one message begin with equal cells, and wide rows repeat
// most of their numbers.
import { sharedLength } from '../../assembly/bytes';
import { Column, columnAt, columnCount, NUMBER, rowCount, TEXT } from './columns';
import { allocate } from '../../assembly/memory';

/** Number of columns from which numbers are compared, too. */
const MIN_WIDE_COLUMNS: i32 = 20;

/** Whether numbers are compared. */
export let isWide: bool = false;
/** Number of columns before the first one that is not compared. */
let leadingColumns: i32 = 0;
/** Number of columns compared in this batch: those before the first plain text. */
let leading: i32 = 0;
/** Number of columns of the current row that the next one may copy; at most `leading`. */
let shared: i32 = 0;
/** Number of columns of the previous row that the current one may copy. */
let previousShared: i32 = 0;
/** Start of the previous and of the current row. */
let previousRow: usize = 0;
let rowStart: usize = 0;
/**
 * For each leading column, the end of its cell with the separator, relative to the row's start: in the current row for
 * cells that were parsed or copied, in the previous row for the others.
 */
let ends: usize = 0;

/** Call it when the columns are set and allocated; false if the memory is full. */
export function initSharing(): bool {
  isWide = columnCount >= MIN_WIDE_COLUMNS;
  leadingColumns = 0;
  while (leadingColumns < columnCount && isCompared(columnAt(leadingColumns))) leadingColumns++;
  ends = allocate((<u64>leadingColumns << 2) + 4);
  clearSharing();
  return ends != 0;
}

function isCompared(column: Column): bool {
  return column.kind != NUMBER || (isWide && !column.hasAllText);
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
// @ts-ignore: decorator
@inline
export function beginRow(p: usize): i32 {
  const count = shared > 0 ? shareLeading(p) : 0;
  rowStart = p;
  shared = leading;
  return count;
}

/** Like `beginRow`, for a row whose further cells are passed to `shareCells`. */
// @ts-ignore: decorator
@inline
export function beginWideRow(p: usize): i32 {
  previousRow = rowStart;
  previousShared = shared;
  return beginRow(p);
}

/** Address of the end of the first `count` cells of the current row. */
export function getSharedEnd(count: i32): usize {
  return rowStart + getEnd(count - 1);
}

/** Address of the end of a cell of the previous row, before `setEnd`; 0 if it cannot be copied. */
export function getPreviousEnd(column: i32): usize {
  return column < previousShared ? previousRow + getEnd(column) : 0;
}

// @ts-ignore: decorator
@inline
function getEnd(column: i32): usize {
  return load<i32>(ends + (<usize>column << 2));
}

// @ts-ignore: decorator
@inline
function shareLeading(p: usize): i32 {
  const length = sharedLength(rowStart, p, <i32>getEnd(shared - 1));
  let column = 0;
  while (column < shared && <i32>getEnd(column) <= length) copyValue(column++);
  return column;
}

/**
 * Copies the values of cells from `column` on that equal the previous row's; returns the first other column.
 * @param previous start of the cell in the previous row.
 * @param p start of the cell in the current row.
 */
export function shareCells(column: i32, previous: usize, p: usize): i32 {
  if (column >= previousShared) return column;
  const start = previous - previousRow;
  const moved = p - rowStart - start;
  const end = start + sharedLength(previous, p, <i32>(getEnd(previousShared - 1) - start));
  for (; column < previousShared; column++) {
    const cellEnd = getEnd(column);
    if (cellEnd > end) break;
    copyValue(column);
    store<i32>(ends + (<usize>column << 2), <i32>(cellEnd + moved));
  }
  return column;
}

// @ts-ignore: decorator
@inline
function copyValue(index: i32): void {
  const column = columnAt(index);
  const kind = column.kind;
  if (kind <= NUMBER) {
    const at = column.lane + (<usize>rowCount << 3);
    store<u64>(at, load<u64>(at - 8));
  } else if (kind == TEXT) {
    const at = column.lane + (<usize>rowCount << 2);
    store<i32>(at, load<i32>(at - 4));
  } else {
    const at = column.lane + rowCount;
    store<u8>(at, load<u8>(at - 1));
  }
}
