// The leading columns of every row: exchange, symbol, timestamp, local_timestamp.
import { COMMA, copy, sharedLength } from '../../../format/kernel/assembly/bytes';
import { loadDigits, sixteenDigits } from '../../../format/kernel/assembly/digits';
import { plainLength, textLength } from '../../../format/kernel/assembly/ndjson/texts';
import { isUsualTime } from '../../../format/kernel/assembly/ndjson/times';
import { BEGIN, EXCHANGE, OWN, put } from './output';
import { setSymbol } from './tally';

/**
 * The last row whose exchange or symbol differed from the previous one, and the lengths, the second with
 * commas.
 */
let known: usize = 0;
let exchangeLength: i32 = 0;
let ownerLength: i32 = 0;

/** Clears the previous row before a new text. */
export function clearPreviousRow(): void {
  ownerLength = 0;
}

/**
 * Length of the text at `p`, up to its cell's end, if it needs no escapes; 0 otherwise and if it is empty.
 */
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
  setSymbol(symbol, symbolLength);
}

/**
 * Address of the times of the row at `p`, 17 bytes each with their commas; 0 if one of the leading cells has
 * an unusual form.
 */
// @ts-ignore: decorator
@inline
export function findTimes(p: usize): usize {
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

/** Writes the start of a line for the row of the last `findTimes`; returns the position after it. */
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
export function parseTime(p: usize): f64 {
  return <f64>sixteenDigits(loadDigits(p));
}
