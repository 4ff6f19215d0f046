import type { PriceLevel } from '../../market/messages.js';

/** A number that may be written as text; undefined where there is none. */
export function parseOptionalNumber(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
}

/** The same, of what is 0 where the exchange has no value. */
export function parseNonZeroNumber(value: unknown): number | undefined {
  const number = parseOptionalNumber(value);
  return number === 0 ? undefined : number;
}

/** Levels as exchanges send most of them: `[["price", "amount", …], …]`. */
export function parseLevelPairs(value: unknown): readonly PriceLevel[] {
  if (!Array.isArray(value)) return [];
  return value.map((level: readonly unknown[]) => ({ price: Number(level[0]), amount: Number(level[1]) }));
}

/** When something happened, as records have it. */
export interface EventTime {
  /** Microseconds. */
  readonly timestamp: number;
  readonly micros: boolean;
  readonly localTimestamp: number;
}

/** Of milliseconds since the epoch, as a number or as text; the local time where there are none. */
export function eventTimeFromMs(ms: unknown, localTimestamp: number): EventTime {
  const timestamp = Number(ms) * 1000;
  return Number.isSafeInteger(timestamp) && timestamp > 0
    ? { timestamp, micros: false, localTimestamp }
    : { timestamp: localTimestamp, micros: true, localTimestamp };
}

const MICROS = /\.\d{3}(\d{3})\d*Z$/;

/** Of ISO 8601 with microseconds; the local time where there is none. */
export function eventTimeFromIso(time: unknown, localTimestamp: number): EventTime {
  const text = typeof time === 'string' ? time : '';
  const ms = Date.parse(text);
  if (!(ms > 0)) return { timestamp: localTimestamp, micros: true, localTimestamp };
  return { timestamp: ms * 1000 + Number(MICROS.exec(text)?.[1] ?? 0), micros: true, localTimestamp };
}
