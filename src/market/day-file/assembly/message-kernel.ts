// Formats rows of day files as lines of messages, directly from text to text, 16 bytes at a time. It stops at
// unusual cells, which the caller handles.
//
// The caller ensures that the text consists of complete rows, each ending in LF, without quotes, and that 64
// bytes after it may be read.
import { COMMA, LF, copy, findCellEnd, sharedLength } from '../../../format/assembly/bytes';
import { booleanLength } from '../../../format/assembly/cells';
import { clearPreviousRow, findTimes, parseTime, putHead } from './rows';
import { AFTER, AMOUNT, ASKS, BEFORE, BIDS, DONE, NO_ROOM, PRICE, UNUSUAL, WITHIN, addLine, asks, begin, fixed, limit, out, periodEnd, periodStart, phase, put, putTail, setPhase, shortestLength, stop, writeNumber } from './output';
import { count, isForeignRow } from './tally';

export { allocate } from '../../../format/assembly/memory';
export { formatRows, setColumns } from './rows';
export { backwards, foreign, last, outside, setTally } from './tally';
export { lines, phase, position, rows, setOutput, setPeriod, setTexts, written } from './output';

// Book changes: consecutive rows with the same leading cells and is_snapshot are one change (day-file-lines.ts).

/** The sides with their commas, as little-endian words. */
const BID: u32 = 0x2c646962;
const ASK: u32 = 0x2c6b7361;

/** Maximum size of a level, with the bytes written after its end. */
const LEVEL: usize = 128;

/** Length that the last call of `putNumber` wrote; 0 if it was not a number, or in an unusual form. */
let size: i32 = 0;

/** Writes the number at `p`, up to a separator; returns the position after it. */
// @ts-ignore: decorator
@inline
function putNumber(to: usize, p: usize, separator: i32): usize {
  const text = v128.load(p);
  v128.store(to, text);
  size = shortestLength(p, text);
  if (<i32>load<u8>(p + size) == separator) return p + size + 1;
  const end = findCellEnd(p);
  const isComplete = end > p && <i32>load<u8>(end) == separator;
  size = isComplete ? writeNumber(p, <i32>(end - p), to) : 0;
  return end + 1;
}

/**
 * Length of the leading cells and is_snapshot, with commas; 0 if one is unusual.
 * @param times result of `findTimes`.
 */
// @ts-ignore: decorator
@inline
function leadingLength(row: usize, times: usize): i32 {
  if (times == 0) return 0;
  const word = times + 34;
  const length = booleanLength(word);
  return length > 0 && <i32>load<u8>(word + length) == COMMA ? <i32>(word - row) + length + 1 : 0;
}

/**
 * Formats the changes in the period, from `from` up to `to`. The last change is formatted only if `isEnd`,
 * since it may continue after the text. Returns why it stopped.
 */
export function formatChanges(from: usize, to: usize, endsFrom: i32, isEnd: bool): i32 {
  begin(endsFrom);
  clearPreviousRow();
  const asksLimit = asks + (limit - out);
  let p = from;
  let o = out;
  let rowsDone = 0;
  let times = p < to ? findTimes(p) : 0;
  let length = leadingLength(p, times);
  while (p < to) {
    if (length == 0) return stop(UNUSUAL, p, rowsDone, o);
    if (o + fixed + length > limit) return stop(NO_ROOM, p, rowsDone, o);
    const localTimestamp = parseTime(times + 17);
    if (phase == BEFORE && localTimestamp >= periodStart) setPhase(WITHIN);
    if (localTimestamp >= periodEnd) setPhase(AFTER);

    const areForeign = isForeignRow;
    let b = putHead(o, p);
    const word = times + 34;
    v128.store(b, v128.load(word));
    b = put(b + (p + length - word - 1), BIDS);
    const bids = b;
    let a = asks;
    let row = p;
    let changeRows = 0;
    do {
      const side = load<u32>(row + length);
      const isAsk = side == ASK;
      if (!isAsk && side != BID) return stop(UNUSUAL, p, rowsDone, o);
      let level = isAsk ? a : b;
      if (level + LEVEL > (isAsk ? asksLimit : limit)) return stop(NO_ROOM, p, rowsDone, o);
      level = put(level, PRICE);
      let q = putNumber(level, row + length + 4, COMMA);
      if (size == 0) return stop(UNUSUAL, p, rowsDone, o);
      level = put(level + size, AMOUNT);
      q = putNumber(level, q, LF);
      if (size == 0) return stop(UNUSUAL, p, rowsDone, o);
      store<u16>(level + size, 0x2c7d);
      level += size + 2;
      if (isAsk) a = level;
      else b = level;
      changeRows++;
      row = q;
    } while (row < to && sharedLength(p, row, length) >= length);
    if (row == to && !isEnd) break;
    // Bytes were compared. Usual cells with other bytes have other values; unusual ones may be equal.
    const nextTimes = row < to ? findTimes(row) : 0;
    const nextLength = leadingLength(row, nextTimes);
    if (row < to && nextLength == 0) return stop(UNUSUAL, p, rowsDone, o);
    // Drop the comma after the last level.
    if (b > bids) b--;
    if (a > asks) a--;
    const asksLength = a - asks;
    if (b + fixed + asksLength > limit) return stop(NO_ROOM, p, rowsDone, o);
    if (phase == WITHIN) {
      b = put(b, ASKS);
      copy(b, asks, <i32>asksLength);
      o = putTail(b + asksLength, times, times + 17);
      addLine(o, localTimestamp);
    }
    count(localTimestamp, changeRows, areForeign);
    rowsDone += changeRows;
    p = row;
    times = nextTimes;
    length = nextLength;
  }
  return stop(DONE, p, rowsDone, o);
}
