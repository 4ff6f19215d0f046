import type { PriceLevel } from '../market/messages.js';
import { UnknownFormError } from './normalizer.js';

/** A message, or a part of one, with unvalidated fields. */
export type MessageFields = Readonly<Record<string, unknown>>;

export function isMessageFields(value: unknown): value is MessageFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an object as it is, and an empty object for anything else. */
export function toFields(value: unknown): MessageFields {
  return isMessageFields(value) ? value : {};
}

/** The objects in a list; empty for anything else. */
export function toFieldsList(value: unknown): readonly MessageFields[] {
  return Array.isArray(value) ? value.filter(isMessageFields) : [];
}

/** Parses a number or its text; undefined if there is none. */
export function parseOptionalNumber(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** As `parseOptionalNumber`, for fields that are 0 if the exchange has no value. */
export function parseNonZeroNumber(value: unknown): number | undefined {
  const number = parseOptionalNumber(value);
  return number === 0 ? undefined : number;
}

/** Parses a number or its text. @throws UnknownFormError of the channel if there is none. */
export function parseNumber(value: unknown, channel: string): number {
  const number = parseOptionalNumber(value);
  if (number === undefined) throw new UnknownFormError(channel);
  return number;
}

/** As `parseOptionalNumber`, for fields that are 0 or negative if the exchange has no value. */
export function parsePositiveNumber(value: unknown): number | undefined {
  const number = parseOptionalNumber(value);
  return number !== undefined && number > 0 ? number : undefined;
}

/** Parses levels in their most common form: `[["price", "amount", …], …]`. */
export function parseLevelPairs(value: unknown): readonly PriceLevel[] {
  if (!Array.isArray(value)) return [];
  return value.map((level: readonly unknown[]) => ({ price: Number(level[0]), amount: Number(level[1]) }));
}

/** Times of a record. */
export interface EventTime {
  /** Microseconds. */
  readonly timestamp: number;
  readonly micros: boolean;
  readonly localTimestamp: number;
}

/** Parses milliseconds since the epoch, as a number or text; falls back to the local time. */
export function eventTimeFromMs(ms: unknown, localTimestamp: number): EventTime {
  const timestamp = Number(ms) * 1000;
  return Number.isSafeInteger(timestamp) && timestamp > 0
    ? { timestamp, micros: false, localTimestamp }
    : { timestamp: localTimestamp, micros: true, localTimestamp };
}

/** Parses nanoseconds since the epoch, which are cut to microseconds; falls back to the local time. */
export function eventTimeFromNanos(ns: unknown, localTimestamp: number): EventTime {
  const timestamp = Math.floor(Number(ns) / 1000);
  const isTime = timestamp > MIN_MICROSECONDS && Number.isSafeInteger(timestamp);
  return { timestamp: isTime ? timestamp : localTimestamp, micros: true, localTimestamp };
}

/** 2001; a smaller number was in another unit. */
const MIN_MICROSECONDS = 1e15;

const MICROS = /\.\d{3}(\d{3})\d*Z$/;

/** Parses an ISO 8601 time with microseconds; falls back to the local time. */
export function eventTimeFromIso(time: unknown, localTimestamp: number): EventTime {
  const text = typeof time === 'string' ? time : '';
  const ms = Date.parse(text);
  if (!(ms > 0)) return { timestamp: localTimestamp, micros: true, localTimestamp };
  return { timestamp: ms * 1000 + Number(MICROS.exec(text)?.[1] ?? 0), micros: true, localTimestamp };
}
