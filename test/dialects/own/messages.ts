import type { Normalizer } from '../../../src/dialects/normalizer.js';
import { recordsOf } from '../records-of.js';

/** When messages are received; microseconds since the epoch, as all times here. */
export const LOCAL = Date.parse('2026-08-03T10:00:00.500Z') * 1000 + 123;

/** What exchanges say of it. */
export const TIME = Date.parse('2026-08-03T10:00:00.125Z') * 1000;
export const MS = String(TIME / 1000);

/** Of a record with a time in milliseconds, and of one without a time of its own. */
export const AT_MS = { timestamp: TIME, micros: false, localTimestamp: LOCAL };
export const AT_LOCAL = { timestamp: LOCAL, micros: true, localTimestamp: LOCAL };

/** What one message comes to. */
export function read(normalizer: Normalizer, message: unknown): readonly object[] {
  return recordsOf([normalizer], [{ message, localTimestamp: LOCAL }]);
}
