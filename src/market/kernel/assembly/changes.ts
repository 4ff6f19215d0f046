// Book changes: rows that follow each other with the same leading cells and is_snapshot are one (book-rows.ts).
import { COMMA, copy, endOfCell, LF, sharedLength } from '../../../format/kernel/assembly/bytes';
import { booleanLength } from '../../../format/kernel/assembly/ndjson/texts';
import { forgetRows, putHead, timesOf, valueOf } from './leading';
import { shortestLength, writeNumber } from './numbers';
import {
  addLine,
  AMOUNT,
  ASKS,
  asks,
  BEFORE,
  begin,
  BEHIND,
  BIDS,
  DONE,
  fixed,
  limit,
  NO_ROOM,
  ODD,
  out,
  periodEnd,
  periodStart,
  phase,
  PRICE,
  put,
  putTail,
  setPhase,
  stop,
  WITHIN,
} from './output';
import { count, isForeignRow } from './tally';

/** The sides with their commas, as little-endian words. */
const BID: u32 = 0x2c646962;
const ASK: u32 = 0x2c6b7361;

/** More than a level takes, with what is written past its end. */
const LEVEL: usize = 128;

/** What the last call of `putNumber` wrote; 0 for what is no number, or isn't written as usual. */
let size: i32 = 0;

/** Writes the number at `p`, up to a separator; returns the position behind that. */
// @ts-ignore: decorator
@inline
function putNumber(to: usize, p: usize, separator: i32): usize {
  const text = v128.load(p);
  v128.store(to, text);
  size = shortestLength(p, text);
  if (<i32>load<u8>(p + size) == separator) return p + size + 1;
  const end = endOfCell(p);
  const isWhole = end > p && <i32>load<u8>(end) == separator;
  size = isWhole ? writeNumber(p, <i32>(end - p), to) : 0;
  return end + 1;
}

/** The length of the row's leading cells and is_snapshot, with commas, `times` from timesOf; 0 where one is unusual. */
// @ts-ignore: decorator
@inline
function leadingLength(row: usize, times: usize): i32 {
  if (times == 0) return 0;
  const word = times + 34;
  const length = booleanLength(word);
  return length > 0 && <i32>load<u8>(word + length) == COMMA ? <i32>(word - row) + length + 1 : 0;
}

/**
 * Makes lines of the changes that lie in the period, from `from` up to `to`; the last only if it `isEnd`, since it might
 * go on behind the text. Tells why it stopped.
 */
export function makeChanges(from: usize, to: usize, endsFrom: i32, isEnd: bool): i32 {
  begin(endsFrom);
  forgetRows();
  const asksLimit = asks + (limit - out);
  let p = from;
  let o = out;
  let ended = 0;
  let times = p < to ? timesOf(p) : 0;
  let length = leadingLength(p, times);
  while (p < to) {
    if (length == 0) return stop(ODD, p, ended, o);
    if (o + fixed + length > limit) return stop(NO_ROOM, p, ended, o);
    const localTimestamp = valueOf(times + 17);
    if (phase == BEFORE && localTimestamp >= periodStart) setPhase(WITHIN);
    if (localTimestamp >= periodEnd) setPhase(BEHIND);

    const areForeign = isForeignRow;
    let b = putHead(o, p);
    const word = times + 34;
    v128.store(b, v128.load(word));
    b = put(b + (p + length - word - 1), BIDS);
    const bids = b;
    let a = asks;
    let row = p;
    let rowsHere = 0;
    do {
      const side = load<u32>(row + length);
      const isAsk = side == ASK;
      if (!isAsk && side != BID) return stop(ODD, p, ended, o);
      let level = isAsk ? a : b;
      if (level + LEVEL > (isAsk ? asksLimit : limit)) return stop(NO_ROOM, p, ended, o);
      level = put(level, PRICE);
      let q = putNumber(level, row + length + 4, COMMA);
      if (size == 0) return stop(ODD, p, ended, o);
      level = put(level + size, AMOUNT);
      q = putNumber(level, q, LF);
      if (size == 0) return stop(ODD, p, ended, o);
      store<u16>(level + size, 0x2c7d);
      level += size + 2;
      if (isAsk) a = level;
      else b = level;
      rowsHere++;
      row = q;
    } while (row < to && sharedLength(p, row, length) >= length);
    if (row == to && !isEnd) break;
    // Cells that are written as usual differ only in what they say; others may say the same in other bytes.
    const nextTimes = row < to ? timesOf(row) : 0;
    const nextLength = leadingLength(row, nextTimes);
    if (row < to && nextLength == 0) return stop(ODD, p, ended, o);
    // Without the comma behind the last level.
    if (b > bids) b--;
    if (a > asks) a--;
    const asksLength = a - asks;
    if (b + fixed + asksLength > limit) return stop(NO_ROOM, p, ended, o);
    if (phase == WITHIN) {
      b = put(b, ASKS);
      copy(b, asks, <i32>asksLength);
      o = putTail(b + asksLength, times, times + 17);
      addLine(o, localTimestamp);
    }
    count(localTimestamp, rowsHere, areForeign);
    ended += rowsHere;
    p = row;
    times = nextTimes;
    length = nextLength;
  }
  return stop(DONE, p, ended, o);
}
