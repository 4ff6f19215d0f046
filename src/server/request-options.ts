import { usageError } from '../base/errors.js';
import { parseShallowJson } from '../base/json-depth.js';
import { describeKind, didYouMean } from '../base/text.js';
import { MAX_TIMER_MS } from '../base/wait.js';
import { type MinuteRange, usRangeToMinutes } from '../day-files/day.js';
import type { LiveOption } from '../live/live-options.js';
import { type NormalizedType, parseMessageType } from '../market/message-type-name.js';
import type { Period } from '../market/trade-bars.js';
import type { FeedRequest } from '../raw-feeds/feed-read-context.js';
import { parseInstant } from '../replay/replay-request.js';
import { createFeedFilter, type FeedFilter } from '../service/feed-filter.js';

// What clients ask for (`docs/spec/local-server.md#options`). Unknown fields are ignored with a warning.

const RAW_FIELDS = ['exchange', 'filters', 'from', 'to', 'withDisconnects'];
const SELECTION_FIELDS = ['exchange', 'symbols', 'dataTypes', 'withDisconnectMessages'];
const NORMALIZED_FIELDS = [...SELECTION_FIELDS, 'from', 'to'];
const STREAM_FIELDS = [...SELECTION_FIELDS, 'timeoutIntervalMS', 'withErrorMessages'];

/** Characters shown of a text that is not JSON, and of an unknown name. */
const MAX_SHOWN_JSON = 80;
const MAX_SHOWN_NAME = 40;

/**
 * Parses the query parameter `options` as JSON. `+` and `%20` are spaces.
 * @throws usage error if it is missing or not JSON.
 */
export function parseOptionsParameter(query: URLSearchParams): unknown {
  const text = query.get('options')?.trim();
  if (!text) {
    throw usageError(
      'the query parameter "options" is missing; add JSON, as in ?options={"exchange":"bitmex",…}',
    );
  }
  try {
    return parseShallowJson(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/, ".*$/s, '') : '';
    throw usageError(`options: "${text.slice(0, MAX_SHOWN_JSON)}" is not JSON (${reason})`);
  }
}

/** Options of `/replay` (`docs/spec/local-server.md#get-replay`). */
interface RawOptions extends FeedRequest {
  readonly withDisconnects: boolean;
}

/** Parses the options of `/replay`. @param warn called for each ignored field. @throws usage error. */
export function parseRawOptions(options: unknown, warn: (line: string) => void): RawOptions {
  const fields = parseOptionFields(options, 'options', RAW_FIELDS, warn);
  return {
    exchange: requireText(fields, 'exchange').trim().toLowerCase(),
    filters: (readList(fields, 'filters') ?? []).map((filter) => parseFilter(filter, warn)),
    range: parseMinutes(requireText(fields, 'from'), requireText(fields, 'to')),
    withDisconnects: readBoolean(fields, 'withDisconnects'),
  };
}

/** Parses a period; both ends are cut to whole minutes. @throws usage error. */
function parseMinutes(from: string, to: string): MinuteRange {
  return usRangeToMinutes(parseRequestPeriod(from, to));
}

function parseFilter(value: unknown, warn: (line: string) => void): FeedFilter {
  const fields = parseOptionFields(value, 'filters', ['channel', 'symbols'], warn);
  return createFeedFilter(requireText(fields, 'channel'), readTextList(fields, 'symbols'));
}

/** Parses the query of `/ws-replay` (`docs/spec/local-server.md#replay-sessions`). @throws usage error. */
export function parseSessionRequest(query: URLSearchParams): Omit<FeedRequest, 'filters'> {
  const readParameter = (name: string): string => {
    const text = query.get(name)?.trim();
    if (!text) throw usageError(`the query parameter "${name}" is missing`);
    return text;
  };
  const exchange = readParameter('exchange').toLowerCase();
  return { exchange, range: parseMinutes(readParameter('from'), readParameter('to')) };
}

/** Session key of a `/ws-replay` connection; connections with the same key are replayed together. */
export function parseSessionKey(query: URLSearchParams): string | undefined {
  return query.get('session') || undefined;
}

/** Options of a normalized replay of one exchange (`docs/spec/local-server.md#normalized-options`). */
export interface NormalizedOptions extends MessageSelection {
  /** Local times in microseconds; may be empty. */
  readonly period: Period;
}

/**
 * Parses one object or a list of objects; their order breaks ties.
 * @param warn called for each ignored field.
 * @throws usage error.
 */
export function parseNormalizedOptions(
  options: unknown,
  warn: (line: string) => void,
): readonly NormalizedOptions[] {
  return (Array.isArray(options) ? options : [options]).map((option: unknown) => {
    const fields = parseOptionFields(option, 'options', NORMALIZED_FIELDS, warn);
    return {
      ...parseMessageSelection(fields),
      period: parseRequestPeriod(requireText(fields, 'from'), requireText(fields, 'to')),
    };
  });
}

/** Options of a live stream of one exchange (`docs/spec/local-server.md#stream-options`). */
export interface ServerStreamOptions extends LiveOption {
  /** Whether to send an `error` message for each lost or failed connection. */
  readonly withErrorMessages: boolean;
}

const DEFAULT_TIMEOUT_INTERVAL_MS = 10_000;

/**
 * Parses one object or a list of objects.
 * @param warn called for each ignored field.
 * @throws usage error.
 */
export function parseServerStreamOptions(
  options: unknown,
  warn: (line: string) => void,
): readonly ServerStreamOptions[] {
  return (Array.isArray(options) ? options : [options]).map((option: unknown) => {
    const fields = parseOptionFields(option, 'options', STREAM_FIELDS, warn);
    return {
      ...parseMessageSelection(fields),
      timeoutIntervalMs: parseTimeoutMs(fields),
      withErrorMessages: readBoolean(fields, 'withErrorMessages'),
    };
  });
}

/** Reads milliseconds. @throws usage error if a timer does not support the value. */
function parseTimeoutMs(fields: OptionFields): number {
  const name = 'timeoutIntervalMS';
  const value = fields[name] ?? DEFAULT_TIMEOUT_INTERVAL_MS;
  if (typeof value === 'number' && value >= 0 && value <= MAX_TIMER_MS) return value;
  const found = typeof value === 'number' ? value : describeKind(value);
  throw usageError(`"${name}": expected milliseconds, 0 to ${MAX_TIMER_MS}, found ${found}`);
}

/** Selected normalized messages of one exchange, for replays and live streams. */
interface MessageSelection {
  readonly exchange: string;
  /** As in the request; undefined for all. */
  readonly symbols: readonly string[] | undefined;
  readonly types: readonly NormalizedType[];
  readonly withDisconnects: boolean;
}

/** Parses the options that replays and live streams share. @throws usage error. */
function parseMessageSelection(fields: OptionFields): MessageSelection {
  const symbols = readTextList(fields, 'symbols');
  const names = readTextList(fields, 'dataTypes') ?? [];
  if (names.length === 0)
    throw usageError('"dataTypes" is missing; add data types such as ["trade","book_change"]');
  return {
    exchange: requireText(fields, 'exchange').trim().toLowerCase(),
    symbols: symbols?.length === 0 ? undefined : symbols,
    types: [...new Set(names)].map(parseMessageType),
    withDisconnects: readBoolean(fields, 'withDisconnectMessages'),
  };
}

/**
 * Parses the period of a request to microseconds; it may be empty (`docs/spec/local-server.md#times-in-options`).
 * @throws usage error for an invalid time, an end before the start, and an end in the future.
 */
function parseRequestPeriod(from: string, to: string, nowMs = Date.now()): Period {
  const start = parseInstant('from', normalizeTime(from), nowMs);
  const end = parseInstant('to', normalizeTime(to), nowMs);
  if (end < start) throw usageError(`to: ${to} is before from (${from}); choose a later end`);
  if (end > nowMs * 1000) throw usageError(`to: ${to} is after now; choose an end that has passed`);
  return { start, end };
}

/** Cuts digits below the microsecond, and restores a `+` that was decoded to a space; clients send both. */
function normalizeTime(text: string): string {
  return text
    .trim()
    .replace(/(\.\d{6})\d+/, '$1')
    .replace(/(:\d{2}(?:\.\d+)?) (\d{2}:?\d{2})$/, '$1+$2');
}

/** Fields of a client's options; `null` counts as absent. */
type OptionFields = Readonly<Record<string, unknown>>;

/**
 * Checks that options are an object and warns of unknown fields, which are ignored.
 * @param where prefix of messages.
 * @param warn called for each ignored field.
 * @throws usage error if the value is not an object.
 */
function parseOptionFields(
  value: unknown,
  where: string,
  known: readonly string[],
  warn: (line: string) => void,
): OptionFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageError(`${where}: expected an object, found ${describeKind(value)}`);
  }
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    warn(`${where}: "${name.slice(0, MAX_SHOWN_NAME)}" is ignored${didYouMean(name, known)}`);
  }
  return value as OptionFields;
}

/** @throws usage error if the field is missing or not a text. */
function requireText(fields: OptionFields, name: string): string {
  const value = fields[name] ?? undefined;
  if (value === undefined) throw usageError(`"${name}" is missing`);
  if (typeof value !== 'string') throw usageError(`"${name}": expected text, found ${describeKind(value)}`);
  return value;
}

/** Reads a boolean; false if absent. @throws usage error for other values. */
function readBoolean(fields: OptionFields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== 'boolean') {
    throw usageError(`"${name}": expected true or false, found ${describeKind(value)}`);
  }
  return value;
}

/** Reads a list of texts; undefined if absent. @throws usage error for other values. */
function readTextList(fields: OptionFields, name: string): readonly string[] | undefined {
  return readList(fields, name)?.map((item) => {
    if (typeof item === 'string') return item;
    throw usageError(`"${name}": expected a list of texts, found ${describeKind(item)} in it`);
  });
}

/** Reads a list; undefined if absent. @throws usage error for other values. */
function readList(fields: OptionFields, name: string): readonly unknown[] | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || Array.isArray(value)) return value;
  throw usageError(`"${name}": expected a list, found ${describeKind(value)}`);
}
