import type { Normalizer } from '../../../src/exchange-adapters/normalizer.js';
import { normalizeMessages } from '../records-of.js';

/** Local time of messages; all times here are microseconds since the epoch. */
export const LOCAL = Date.parse('2026-08-03T10:00:00.500Z') * 1000 + 123;

/** The event time in messages. */
export const TIME = Date.parse('2026-08-03T10:00:00.125Z') * 1000;
export const MS = String(TIME / 1000);

/** Times of a record with milliseconds, and of one without an event time. */
export const AT_MS = { timestamp: TIME, micros: false, localTimestamp: LOCAL };
export const AT_LOCAL = { timestamp: LOCAL, micros: true, localTimestamp: LOCAL };

/** The records of one message. */
export function read(normalizer: Normalizer, message: unknown): readonly object[] {
  return normalizeMessages([normalizer], [{ message, localTimestamp: LOCAL }]);
}
