import type { Instrument } from '../instrument.js';
import { copyFixed, type Fixed, fixed, type Target } from './bytes.js';
import { type IsoTime, LONGEST_TIME } from './iso-time.js';

/** What stands around the times that most lines end in. */
export const TAIL = {
  timestamp: ',"timestamp":"',
  localTimestamp: '","localTimestamp":"',
  end: '"}\n',
} as const;

const TIMESTAMP = fixed(TAIL.timestamp);
const LOCAL_TIMESTAMP = fixed(TAIL.localTimestamp);
const END = fixed(TAIL.end);

/** Room that `writeTail` needs. */
export const TAIL_SIZE = TIMESTAMP.length + LOCAL_TIMESTAMP.length + END.length + 2 * LONGEST_TIME;

/** What all lines of a type and an instrument begin with; `more` are keys with values that are alike too. */
export function lineHead(type: string, { symbol, exchange }: Instrument, more: object = {}): Fixed {
  return fixed(JSON.stringify({ type, symbol, exchange, ...more }).slice(0, -1));
}

/** What most lines end in. Returns the position behind the LF. */
export function writeTail(
  times: { readonly timestamp: IsoTime; readonly localTimestamp: IsoTime },
  timestamp: number,
  micros: boolean,
  localTimestamp: number,
  { view }: Target,
  position: number,
): number {
  let at = copyFixed(TIMESTAMP, view, position);
  at = times.timestamp.write(timestamp, micros, view, at);
  at = copyFixed(LOCAL_TIMESTAMP, view, at);
  at = times.localTimestamp.write(localTimestamp, true, view, at);
  return copyFixed(END, view, at);
}
