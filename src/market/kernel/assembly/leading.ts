// The columns that every row begins with: exchange, symbol, timestamp, local_timestamp.
import { COMMA, copy, sharedLength } from '../../../format/kernel/assembly/bytes';
import { digitsAt, sixteenDigits } from '../../../format/kernel/assembly/digits';
import { plainLength, textLength } from '../../../format/kernel/assembly/ndjson/texts';
import { isUsualTime } from '../../../format/kernel/assembly/ndjson/times';
import { BEGIN, EXCHANGE, OWN, put } from './output';
import { meetSymbol } from './tally';

/** The last row with another exchange or symbol than the one before it: how long they are, the second with commas. */
let known: usize = 0;
let exchangeLength: i32 = 0;
let ownerLength: i32 = 0;

/** Another text stands where rows stood. */
export function forgetRows(): void {
  ownerLength = 0;
}

/** The length of the text at `p` if it needs no escapes, up to its cell's end; 0 for any other, and for none. */
// @ts-ignore: decorator
@inline
export function usualTextLength(p: usize, text: v128): i32 {
  const length = plainLength(p, text);
  return length < 0 ? textLength(p) : length;
}

function measureOwner(p: usize): void {
  ownerLength = 0;
  known = p;
  exchangeLength = usualTextLength(p, v128.load(p));
  const symbol = p + exchangeLength + 1;
  if (exchangeLength == 0 || <i32>load<u8>(symbol - 1) != COMMA) return;
  const symbolLength = usualTextLength(symbol, v128.load(symbol));
  if (symbolLength == 0 || <i32>load<u8>(symbol + symbolLength) != COMMA) return;
  ownerLength = exchangeLength + symbolLength + 2;
  meetSymbol(symbol, symbolLength);
}

/**
 * Where the times of the row at `p` begin, 17 bytes each with their commas; 0 where one of the leading cells is not
 * written as usual.
 */
// @ts-ignore: decorator
@inline
export function timesOf(p: usize): usize {
  if (ownerLength == 0 || sharedLength(known, p, ownerLength) < ownerLength) measureOwner(p);
  const times = p + ownerLength;
  const areUsual =
    ownerLength > 0 &&
    isUsualTime(times, v128.load(times)) &&
    <i32>load<u8>(times, 16) == COMMA &&
    isUsualTime(times + 17, v128.load(times, 17)) &&
    <i32>load<u8>(times, 33) == COMMA;
  return areUsual ? times : 0;
}

/** Writes what a line begins with, of the row that `timesOf` was asked for last; returns the position behind it. */
// @ts-ignore: decorator
@inline
export function putHead(to: usize, p: usize): usize {
  const symbolLength = ownerLength - exchangeLength - 2;
  let o = put(to, BEGIN);
  copy(o, p + exchangeLength + 1, symbolLength);
  o = put(o + symbolLength, EXCHANGE);
  copy(o, p, exchangeLength);
  return put(o + exchangeLength, OWN);
}

/** The time at `p` in microseconds. */
// @ts-ignore: decorator
@inline
export function valueOf(p: usize): f64 {
  return <f64>sixteenDigits(digitsAt(p));
}
