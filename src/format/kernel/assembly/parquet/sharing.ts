// What a row shares with the row before it: rows of one message begin alike.
import { sharedLength } from '../bytes';
import { columnAt, columnCount, NUMBER, rowCount, TEXT, TIME } from './columns';
import { allocate } from '../memory';

/** The columns before the first number. A row may share the text of some with the row before it. */
let leadingColumns: i32 = 0;
/** How many of them are looked at in this batch: none from a plain text on. */
let leading: i32 = 0;
/** How many the row before the present one has to share; no more than `leading`. */
let shared: i32 = 0;
/** Where the rows begin. */
let rowBefore: usize = 0;
let rowStart: usize = 0;
/** For each leading column, where its cell ends, the separator included, counted from the row's start. */
let ends: usize = 0;

/** To be called when the columns are known; false where the memory is full. */
export function prepareSharing(): bool {
  leadingColumns = 0;
  while (leadingColumns < columnCount && columnAt(leadingColumns).kind != NUMBER) leadingColumns++;
  ends = allocate((<u64>leadingColumns << 2) + 4);
  clearSharing();
  return ends != 0;
}

/** Begins a batch. */
export function clearSharing(): void {
  leading = leadingColumns;
  shared = 0;
}

/** Begins a text: the row before its first stands elsewhere. */
export function forgetRows(): void {
  shared = 0;
}

/** From a column on that has turned to plain text, no row takes over anything in this batch. */
export function leadUpTo(column: i32): void {
  if (column < leading) leading = column;
  shareUpTo(column);
}

/** What the present row has not the text for, the next one can't share. */
export function shareUpTo(column: i32): void {
  if (column < shared) shared = column;
}

// @ts-ignore: decorator
@inline
export function setEnd(column: i32, behind: usize): void {
  if (column < leading) store<i32>(ends + (<usize>column << 2), <i32>(behind - rowStart));
}

/** Begins a row at `p`, and gives its leading cells that are written as before their values; gives how many. */
export function beginRow(p: usize): i32 {
  const count = shared > 0 ? shareCells(p) : 0;
  rowBefore = p;
  rowStart = p;
  shared = leading;
  return count;
}

/** Where the first so many cells of the present row end. */
export function endOfShared(count: i32): usize {
  return rowStart + load<i32>(ends + (<usize>(count - 1) << 2));
}

function shareCells(p: usize): i32 {
  const length = sharedLength(rowBefore, p, load<i32>(ends + (<usize>(shared - 1) << 2)));
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

