// Numbers in lines have JavaScript's shortest form.
import { MINUS, POINT, ZERO, copy, findNonDigits, toDigits } from '../../../format/assembly/bytes';
import { clearDates, writeMicros } from '../../../format/assembly/cells';

/**
 * Writes any other decimal in that form; returns its length, at most 32 bytes, or 0 if it is not a number.
 */
// @ts-ignore: decorator
@external("env", "writeNumber")
export declare function writeNumber(p: usize, length: i32, to: usize): i32;

/** Six zeros. */
const ZEROS: u64 = 0x303030303030;
const SIX: u64 = 0xffffffffffff;

/**
 * The length of a decimal in its shortest form; 0 for any other, and also for decimals with more than 15
 * digits or an exponent. Two decimals of up to 15 digits never have the same double, so no shorter one has
 * its value. It must not have redundant zeros; from 1e-6 on there is no exponent.
 */
// @ts-ignore: decorator
@inline
export function shortestLength(p: usize, text: v128): i32 {
  const negative = <i32>(<i32>load<u8>(p) == MINUS);
  const stops = findNonDigits(toDigits(text)) & ~negative;
  const point = ctz(stops | 0x10000);
  const first = p + negative;
  const startsWithZero = <i32>load<u8>(first) == ZERO;
  const wholeDigits = point - negative;
  if (<i32>load<u8>(p + point) != POINT) {
    // Minus zero loses its sign, and a number of 16 digits may have a shorter form.
    const isUsual = wholeDigits > 0 && wholeDigits < 16 && (!startsWithZero || point == 1);
    return isUsual ? point : 0;
  }
  const end = ctz((stops & (stops - 1)) | 0x10000);
  if (wholeDigits == 0 || end == point + 1 || <i32>load<u8>(p + end - 1) == ZERO) return 0;
  if (startsWithZero && (wholeDigits > 1 || (load<u64>(first, 2) & SIX) == ZEROS)) return 0;
  return end;
}

// Output of lines, and the results of a call.

/** Why formatting stopped: end of the text, or a change that may continue; */
export const DONE: i32 = 0;
/** the line of the row at `position` might exceed the output; */
export const NO_ROOM: i32 = 1;
/** the row at `position`, or a row of the change that begins there, has an unusual form. */
export const UNUSUAL: i32 = 2;

/**
 * Where the last call stopped: address in the text, number of rows, address in the output, number of lines.
 */
export let position: usize = 0;
export let rows: i32 = 0;
export let written: usize = 0;
export let lines: i32 = 0;

/** Position of the last started change relative to the period. */
export const BEFORE: i32 = 0;
export const WITHIN: i32 = 1;
export const AFTER: i32 = 2;
export let phase: i32 = BEFORE;

/** The period, in microseconds of local time. */
export let periodStart: f64 = 0;
export let periodEnd: f64 = 0;

/** Output from `out` to `limit`, and the same size at `asks`; for each line, its end and its local time. */
export let out: usize = 0;
export let limit: usize = 0;
export let asks: usize = 0;
let ends: usize = 0;
let times: usize = 0;
/** Offset that is added to the ends of lines. */
let base: i32 = 0;

/** Indices of the texts that occur in every line: an address and a length each. */
export const BEGIN: i32 = 0;
export const EXCHANGE: i32 = 1;
export const OWN: i32 = 2;
export const TIMESTAMP: i32 = 3;
const LOCAL_TIMESTAMP: i32 = 4;
export const END: i32 = 5;
export const BIDS: i32 = 6;
export const ASKS: i32 = 7;
export const PRICE: i32 = 8;
export const AMOUNT: i32 = 9;
let texts: usize = 0;
/** Maximum size of a line without the text of its row and its levels. */
export let fixed: usize = 0;

export function setTexts(textsAt: usize, fixedRoom: usize): void {
  texts = textsAt;
  fixed = fixedRoom;
  clearDates();
}

export function setOutput(outAt: usize, outRoom: usize, asksAt: usize, endsAt: usize, timesAt: usize): void {
  out = outAt;
  limit = outAt + outRoom;
  asks = asksAt;
  ends = endsAt;
  times = timesAt;
}

export function setPeriod(start: f64, end: f64, phaseSoFar: i32): void {
  periodStart = start;
  periodEnd = end;
  phase = phaseSoFar;
}

export function setPhase(value: i32): void {
  phase = value;
}

/** Starts at the beginning of the output. `endsFrom` is added to the ends of lines. */
export function begin(endsFrom: i32): void {
  base = endsFrom - <i32>out;
  lines = 0;
}

/** Records a line that was written up to `end`. */
// @ts-ignore: decorator
@inline
export function addLine(end: usize, localTimestamp: f64): void {
  store<i32>(ends + (<usize>lines << 2), <i32>end + base);
  store<f64>(times + (<usize>lines << 3), localTimestamp);
  lines++;
}

/** Stores the results of a call. */
export function stop(reason: i32, at: usize, rowsDone: i32, end: usize): i32 {
  position = at;
  rows = rowsDone;
  written = end;
  return reason;
}

/** Writes one of the texts; returns the position after it. */
// @ts-ignore: decorator
@inline
export function put(to: usize, text: i32): usize {
  const record = texts + (<usize>text << 3);
  const length = load<i32>(record, 4);
  copy(to, <usize>load<u32>(record), length);
  return to + length;
}

const LETTER_Z: u8 = 90;

/** Writes the time at `p` with three or six decimals; returns the position after it. */
// @ts-ignore: decorator
@inline
export function putTime(to: usize, p: usize, micros: bool, slot: i32): usize {
  writeMicros(to, p, slot);
  const end = to + (micros ? 26 : 23);
  store<u8>(end, LETTER_Z);
  return end + 1;
}

/**
 * Writes the end of a line, from the exchange's time on. This time has six decimals if it is not whole
 * milliseconds, or if it equals the local time.
 */
// @ts-ignore: decorator
@inline
export function putTail(to: usize, timestamp: usize, localTimestamp: usize): usize {
  const isLocal = v128.all_true<i8>(i8x16.eq(v128.load(timestamp), v128.load(localTimestamp)));
  const isWhole = load<u16>(timestamp, 13) == 0x3030 && load<u8>(timestamp, 15) == 48;
  let o = put(to, TIMESTAMP);
  o = putTime(o, timestamp, isLocal || !isWhole, 0);
  o = put(o, LOCAL_TIMESTAMP);
  o = putTime(o, localTimestamp, true, 1);
  return put(o, END);
}
