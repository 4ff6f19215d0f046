// Counts rows that do not belong in their file (row-tally.ts).

/** Whether the symbol at an address differs from the file's. */
// @ts-ignore: decorator
@external("env", "isForeign")
declare function isForeign(p: usize, length: i32): i32;

/** Counts of rows since `setTally`. */
export let outside: i32 = 0;
export let backwards: i32 = 0;
export let foreign: i32 = 0;
/** The local time of the last row. */
export let last: f64 = 0;

let dayStart: f64 = 0;
let dayEnd: f64 = 0;
let hasSymbol: bool = false;

/** 1 if rows of the symbol of the last `setSymbol` are foreign. */
export let isForeignRow: i32 = 0;

/** @param before the local time of the row before the next one. */
export function setTally(start: f64, end: f64, before: f64, checksSymbol: bool): void {
  dayStart = start;
  dayEnd = end;
  last = before;
  hasSymbol = checksSymbol;
  outside = 0;
  backwards = 0;
  foreign = 0;
  isForeignRow = 0;
}

/** Sets the symbol of the following rows. */
export function setSymbol(p: usize, length: i32): void {
  if (hasSymbol) isForeignRow = isForeign(p, length);
}

/** Counts consecutive rows with the same local time. */
// @ts-ignore: decorator
@inline
export function count(localTimestamp: f64, rows: i32, areForeign: i32): void {
  if (localTimestamp < dayStart || localTimestamp >= dayEnd) outside += rows;
  if (localTimestamp < last) backwards++;
  last = localTimestamp;
  foreign += rows * areForeign;
}
