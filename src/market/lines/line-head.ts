import {
  copyFixed,
  createFixedText,
  type FixedText,
  type IsoTime,
  type LineTarget,
  MAX_TIME_BYTES,
} from '../../format/ndjson/write-json.js';
import type { Instrument } from '../instrument.js';

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
