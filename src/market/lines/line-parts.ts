import { decodeRange, decodeTexts, type TextValues } from '../../format/batch.js';
import {
  copyFixed,
  createFixedText,
  type FixedText,
  type IsoTime,
  type LineTarget,
  MAX_NUMBER_BYTES,
  MAX_TIME_BYTES,
  writeNumber,
} from '../../format/ndjson/write-json.js';
import type { Instrument } from '../messages.js';

/** Text around the times at the end of most lines. */
export const TAIL_TEXTS = {
  timestamp: ',"timestamp":"',
  localTimestamp: '","localTimestamp":"',
  end: '"}\n',
} as const;

const TIMESTAMP = createFixedText(TAIL_TEXTS.timestamp);
const LOCAL_TIMESTAMP = createFixedText(TAIL_TEXTS.localTimestamp);
const END = createFixedText(TAIL_TEXTS.end);

/** Maximum size that `writeTail` writes. */
export const MAX_TAIL_BYTES = TIMESTAMP.length + LOCAL_TIMESTAMP.length + END.length + 2 * MAX_TIME_BYTES;

/**
 * The common start of all lines of a type and an instrument.
 * @param more further keys with constant values.
 */
export function createLineHead(type: string, { symbol, exchange }: Instrument, more: object = {}): FixedText {
  return createFixedText(JSON.stringify({ type, symbol, exchange, ...more }).slice(0, -1));
}

/** Writes the end of most lines. Returns the position after the LF. */
export function writeTail(
  times: { readonly timestamp: IsoTime; readonly localTimestamp: IsoTime },
  timestamp: number,
  micros: boolean,
  localTimestamp: number,
  { view }: LineTarget,
  position: number,
): number {
  let at = copyFixed(TIMESTAMP, view, position);
  at = times.timestamp.write(timestamp, micros, view, at);
  at = copyFixed(LOCAL_TIMESTAMP, view, at);
  at = times.localTimestamp.write(localTimestamp, true, view, at);
  return copyFixed(END, view, at);
}

const BRACE = 125;
/** Text before the numbers of a level. */
export const LEVEL_KEYS = { price: '{"price":', amount: ',"amount":' } as const;

const FIRST_PRICE = createFixedText(LEVEL_KEYS.price);
const NEXT_PRICE = createFixedText(`,${LEVEL_KEYS.price}`);
const AMOUNT = createFixedText(LEVEL_KEYS.amount);

/** Maximum size that `writeLevel` writes. */
export const MAX_LEVEL_BYTES = NEXT_PRICE.length + AMOUNT.length + 2 * MAX_NUMBER_BYTES + 1;

/** Text around the levels of a book change. */
export const SNAPSHOT_BIDS = createFixedText(',"isSnapshot":true,"bids":[');
export const CHANGE_BIDS = createFixedText(',"isSnapshot":false,"bids":[');
export const ASKS = createFixedText('],"asks":[');
export const LEVELS_END = createFixedText(']');
export const CHANGE_KEYS_BYTES = CHANGE_BIDS.length + ASKS.length + LEVELS_END.length;

/** Writes a level as an element of a JSON array; returns the position after it. */
export function writeLevel(
  price: number,
  amount: number,
  isFirst: boolean,
  view: DataView,
  position: number,
): number {
  let at = copyFixed(isFirst ? FIRST_PRICE : NEXT_PRICE, view, position);
  at = writeNumber(price, view, at);
  at = copyFixed(AMOUNT, view, at);
  at = writeNumber(amount, view, at);
  view.setUint8(at, BRACE);
  return at + 1;
}

const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
const DELETE = 127;

/** The texts of a dictionary as JSON strings, each after `begin`. */
export function createDictionaryTexts(dictionary: TextValues, begin: string): FixedText[] {
  return decodeTexts(dictionary).map((text) => createFixedText(`${begin}${JSON.stringify(text)}`));
}

/** Writes text as the content of a JSON string, as `JSON.stringify` does; returns the position after it. */
export function writeText(text: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number {
  for (let p = start, q = at; p < end; p++, q++) {
    const byte = text[p] as number;
    if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) return writeEscaped(text, start, end, out, at);
    out[q] = byte;
  }
  return at + end - start;
}

/**
 * Writes text as a JSON string with quotes, as `JSON.stringify` does; returns the position after it. It needs
 * room for `MAX_ESCAPE_BYTES` per UTF-16 unit, plus two bytes.
 */
export function writeString(text: string, out: Uint8Array, at: number): number {
  let p = at;
  out[p++] = QUOTE;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < SPACE || unit >= DELETE || unit === QUOTE || unit === BACKSLASH) {
      return at + Buffer.from(out.buffer, out.byteOffset, out.length).write(JSON.stringify(text), at);
    }
    out[p++] = unit;
  }
  out[p++] = QUOTE;
  return p;
}

function writeEscaped(text: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number {
  const inside = JSON.stringify(decodeRange(text, start, end)).slice(1, -1);
  return at + Buffer.from(out.buffer, out.byteOffset, out.length).write(inside, at);
}
