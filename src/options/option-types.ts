import { TickhaulError, usageError } from '../base/errors.js';
import { didYouMean } from '../base/text.js';
import { parseDuration, parseSize, plural } from '../base/units.js';
import { MAX_TIMER_MS } from '../base/wait.js';
import { DATA_TYPES, type DataType, dayFileTypeHint, isDataType } from '../day-files/data-types.js';
import { formatDay, parseDayBound, parseDayOrMonth, parseDayWord } from '../day-files/day.js';
import { type LayoutChoice, type LayoutFunction, parseLayout } from '../day-files/layout.js';
import { parseShard } from '../day-files/shard.js';
import { hasObjectKey, isObjectLocation, normalizeScheme, parseScheme } from '../store/location.js';

/** Bounds of an option, beside its type. */
export interface OptionLimits {
  /** Smallest value. */
  readonly min?: number;
  readonly max?: number;
  /** Whether a path may also be `s3://bucket/key`. */
  readonly remote?: true;
}

/** The values that library and config file accept for an option, before they are parsed like those of flags. */
export type AcceptedKind = keyof typeof ACCEPTED_KINDS;

const isText = (value: unknown): value is string => typeof value === 'string';

/** Checks of values by kind, and what an error of the library says is expected. */
export const ACCEPTED_KINDS = {
  flag: { expected: 'true or false', isValid: (value: unknown) => typeof value === 'boolean' },
  text: { expected: 'a text', isValid: isText },
  path: { expected: 'the path of a file or folder', isValid: isText },
  number: {
    expected: 'a number or a text',
    isValid: (value: unknown) => isText(value) || Number.isFinite(value),
  },
  list: {
    expected: 'a text or a list of texts',
    isValid: (value: unknown) =>
      isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  },
  layout: {
    expected: 'a text or a function',
    isValid: (value: unknown) => isText(value) || typeof value === 'function',
  },
  signal: { expected: 'an AbortSignal', isValid: (value: unknown) => value instanceof AbortSignal },
} as const;

/** A type of option. */
interface TypeRow<Value, Kind extends AcceptedKind = AcceptedKind> {
  /** What library and config file accept. */
  readonly accepts: Kind;
  /** What an error of the config file says is expected; by default the words of `accepts`. */
  readonly expected?: string;
  /** Type in the library. */
  readonly ts: string;
  /** What a shell completes: paths, or these values. */
  readonly completes?: 'files' | 'folders' | readonly string[];
  /**
   * Reads a value as a flag, a setting or the library gives it; never undefined.
   * @param name of the option in errors: `--max-wait`, or `maxWait`. @throws usage error that begins with the name.
   */
  read(given: unknown, name: string, limits: OptionLimits): Value;
}

function type<Value, Kind extends AcceptedKind>(row: TypeRow<Value, Kind>): TypeRow<Value, Kind> {
  return row;
}

/** Every type of option. No other table is keyed by the types. */
export const OPTION_TYPES = {
  /** No value: given or not. */
  flag: type({ accepts: 'flag', ts: 'boolean', read: (given) => lastOf(given) === true }),
  text: type({ accepts: 'text', ts: 'string', read: one((text) => text) }),
  /** One of the choices of the option, which each way to an option checks before. */
  choice: type({ accepts: 'text', ts: 'string', read: one((text) => text) }),
  /** Texts, comma-separated or repeated. */
  list: type({ accepts: 'list', ts: 'TextList', read: readList }),
  /** Names in lower case, in any case. */
  'lower-case-list': type({
    accepts: 'list',
    ts: 'TextList',
    read: (given, name): readonly string[] => readList(given, name).map((text) => text.toLowerCase()),
  }),
  /** Data types of day files, or `all`, in any case; others as they are. */
  'data-types': type({ accepts: 'list', ts: 'DataTypeList', read: readDataTypes }),
  /** Normalized and computed types of messages. */
  'message-types': type({ accepts: 'list', ts: 'MessageTypeList', read: readList }),
  /** Computed types, or `rows`. */
  'computed-types': type({ accepts: 'list', ts: 'ComputedTypeList', read: readList }),
  /** Texts as they are, in which commas have a meaning of the option. */
  texts: type({ accepts: 'list', ts: 'TextList', read: (given) => [given].flat().map(String) }),
  /** Files, folders and globs of this machine or of a store. */
  paths: type({ accepts: 'list', ts: 'TextList', completes: 'files', read: readLocations }),
  folders: type({ accepts: 'list', ts: 'TextList', completes: 'folders', read: readLocations }),
  /** A whole number, `min` or more. */
  count: type({ accepts: 'number', expected: 'a whole number', ts: 'number', read: one(parseCount) }),
  /** A number of decimals as text; its limit depends on other options. */
  decimals: type({
    accepts: 'number',
    expected: 'a whole number',
    ts: 'number',
    read: one((text) => text),
  }),
  /** A whole number from 1 to 100, or `auto`. */
  concurrency: type<number | 'auto', 'number'>({
    accepts: 'number',
    expected: 'a whole number or auto',
    ts: "number | 'auto'",
    completes: ['auto'],
    read: one((text) => (text === 'auto' ? 'auto' : parseCount(text, { min: 1, max: 100 }))),
  }),
  /** A UTC day that bounds a range, as `YYYY-MM-DD`; a month is its first day. */
  day: type({
    accepts: 'text',
    expected: 'a UTC day, as "2024-03-01"',
    ts: 'string',
    completes: ['yesterday', 'today'],
    read: one((text) => formatDay(parseDayBound(text, Date.now()))),
  }),
  /** A single UTC day, as `YYYY-MM-DD`. */
  'single-day': type({
    accepts: 'text',
    ts: 'string',
    completes: ['yesterday', 'today'],
    read: one((text) => formatDay(parseDayWord(text, Date.now()))),
  }),
  /** UTC days and months, comma-separated or repeated. Lists, `@file`, are kept for their reader. */
  'day-list': type({
    accepts: 'list',
    expected: 'UTC days, as "2024-03-01", or months, as "2024-03"',
    ts: 'TextList',
    completes: ['yesterday', 'today'],
    read: readDayList,
  }),
  /** A UTC day or an ISO 8601 time, which the period of a replay parses. */
  time: type({
    accepts: 'text',
    ts: 'string',
    completes: ['yesterday', 'today'],
    read: one((text) => text),
  }),
  /** A number of days, such as `7d`. */
  days: type({
    accepts: 'number',
    expected: 'a number of days, such as 7d',
    ts: 'number | string',
    completes: ['1d', '7d', '30d'],
    read: one(parseDays),
  }),
  /** A time span, such as `90s` or `4h`, in milliseconds. */
  duration: type({
    accepts: 'text',
    expected: 'a duration, as 90s or 4h',
    ts: 'string',
    read: readDuration,
  }),
  /** A time span that fits one timer, in milliseconds: Node runs a longer timer after 1 ms. */
  timer: type({ accepts: 'text', expected: 'a duration, as 90s or 4h', ts: 'string', read: readTimer }),
  /** Bytes, such as `20MB`. */
  size: type({
    accepts: 'number',
    expected: 'a size, as 20MB',
    ts: 'number | string',
    read: one(parseSize),
  }),
  /** Bytes per second, such as `20MB`. */
  rate: type({
    accepts: 'number',
    expected: 'a size, as 20MB',
    ts: 'number | string',
    read: one(parseRate),
  }),
  /** Rows, such as `64k`. */
  rows: type({
    accepts: 'number',
    expected: 'a number of rows, such as 64k',
    ts: 'number | string',
    read: one(parseRows),
  }),
  /** A positive number, such as `0.1`. */
  ratio: type({ accepts: 'number', ts: 'number | string', read: one(parseRatio) }),
  /** A factor, or `max`. */
  speed: type<number | 'max', 'number'>({
    accepts: 'number',
    ts: "number | 'max'",
    completes: ['max', '1'],
    read: one(parseSpeed),
  }),
  /** A path of a file, or `-` where the option says so. */
  file: type({
    accepts: 'path',
    expected: 'a text',
    ts: 'string',
    completes: 'files',
    read(given, name, { remote }) {
      const path = readText(given, name);
      if (!remote) return assertLocalPath(name, path);
      const location = parseLocation(name, path);
      return assertFileLocation(`${name} ${location}`, location);
    },
  }),
  folder: type({
    accepts: 'path',
    expected: 'a text',
    ts: 'string',
    completes: 'folders',
    read(given, name, { remote }) {
      const path = readText(given, name);
      return remote ? parseLocation(name, path) : assertLocalPath(name, path);
    },
  }),
  /** A layout of paths; in the library also a function. */
  layout: type<LayoutChoice, 'layout'>({
    accepts: 'layout',
    expected: 'a text',
    ts: 'string | LayoutFunction',
    completes: ['flat', 'hive'],
    read(given, name) {
      const layout = typeof given === 'function' ? (given as LayoutFunction) : readText(given, name);
      parseLayout(layout);
      return layout;
    },
  }),
  /** Part of the day files, such as `0/4`. */
  shard: type({ accepts: 'text', ts: 'string', read: one(parseShard) }),
  /** A data type whose columns are known. */
  'data-type': type({ accepts: 'text', ts: 'DataTypeName', read: one(parseDataType) }),
  /** An AbortSignal of the library. */
  signal: type({ accepts: 'signal', ts: 'AbortSignal', read: (given) => given as AbortSignal }),
} as const;

export type OptionType = keyof typeof OPTION_TYPES;

/** Value of an option by its type; times are milliseconds, sizes are bytes. */
export type ValueOfType<Type extends OptionType> = ReturnType<(typeof OPTION_TYPES)[Type]['read']>;

/** Types with a time span, whose value is named with its unit. */
export type TimeSpanType = 'duration' | 'timer';

function lastOf(given: unknown): unknown {
  return Array.isArray(given) ? given.at(-1) : given;
}

/**
 * A single text. If it is repeated, the last value counts, which lets a user override the flags of a wrapper script.
 */
function readText(given: unknown, name: string): string {
  const text = String(lastOf(given)).trim();
  if (text === '') throw usageError(`${name} is empty; set a value, or omit it`);
  return text;
}

/** Reads a single text with a parser, to whose errors it adds the name. */
function one<Value>(parse: (text: string, limits: OptionLimits) => Value): TypeRow<Value>['read'] {
  return (given, name, limits) => {
    const text = readText(given, name);
    try {
      return parse(text, limits);
    } catch (error) {
      if (error instanceof TickhaulError) throw usageError(`${name}: ${error.message}`);
      throw error;
    }
  };
}

function readList(given: unknown, name: string): readonly string[] {
  const items = [given]
    .flat()
    .flatMap((item) => String(item).split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length === 0) throw usageError(`${name} is empty; set a value, or omit it`);
  return items;
}

function readDataTypes(given: unknown, name: string): readonly string[] {
  const known = [...DATA_TYPES, 'all'];
  return readList(given, name).map(
    (text) => known.find((type) => type.toLowerCase() === text.toLowerCase()) ?? text,
  );
}

function readDayList(given: unknown, name: string): readonly string[] {
  const parse = one((text) => parseDayOrMonth(text, Date.now()));
  return readList(given, name).map((item) => (item.startsWith('@') ? item : parse(item, name, {})));
}

function readLocations(given: unknown, name: string): readonly string[] {
  return [given].flat().map((location) => parseLocation(name, String(location)));
}

function readDuration(given: unknown, name: string, { min = 0 }: OptionLimits): number {
  const ms = one(parseDuration)(given, name, {});
  if (ms < min) throw usageError(`${name} must be longer than 0`);
  return ms;
}

function readTimer(given: unknown, name: string, limits: OptionLimits): number {
  const ms = readDuration(given, name, limits);
  if (ms <= MAX_TIMER_MS) return ms;
  throw usageError(`${name}: ${readText(given, name)} is more than 24 days; use 576h or less`);
}

function parseCount(text: string, { min = 0, max = Number.MAX_SAFE_INTEGER }: OptionLimits): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= min && count <= max) return count;
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
  throw usageError(`"${text}" is not a whole number, ${range}`);
}

/** A hundred years. */
const MAX_DAYS = 36_500;

function parseDays(text: string): number {
  const count = Number(/^(\d+)d?$/.exec(text)?.[1] ?? 0);
  if (count > MAX_DAYS) throw usageError(`"${text}" is too many days, at most ${MAX_DAYS}d`);
  if (count >= 1) return count;
  throw usageError(`"${text}" is not a number of days: write 7d for the last seven`);
}

/** Bytes per second. A lower rate is probably a mistake: a file of 100 MB would take a day. */
const MIN_RATE_BYTES = 1000;

function parseRate(text: string): number {
  const rate = parseSize(text);
  if (rate >= MIN_RATE_BYTES) return rate;
  throw usageError(`"${text}" is ${plural(rate, 'byte')} per second; use at least 1000, such as 20MB`);
}

const MAX_ROW_GROUP_ROWS = 1024 * 1024;

/** A number of rows; `128k` is 128 times 1024. */
function parseRows(text: string): number {
  const match = /^(\d{1,9})(k?)$/i.exec(text);
  const rows = Number(match?.[1]) * (match?.[2] ? 1024 : 1);
  if (rows >= 1 && rows <= MAX_ROW_GROUP_ROWS) return rows;
  throw usageError(`"${text}" is not a number of rows, 1 to 1024k`);
}

function parseRatio(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text) && Number(text) > 0) return Number(text);
  throw usageError(`"${text}" is not a positive number; use 0.1 for 10 percent`);
}

function parseSpeed(text: string): number | 'max' {
  if (text === 'max') return text;
  const factor = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  if (factor > 0 && Number.isFinite(factor)) return factor;
  throw usageError(`"${text}" is not a factor; use 1 for real time, 10 for ten times as fast, or max`);
}

function parseDataType(text: string): DataType {
  if (isDataType(text)) return text;
  const hint =
    dayFileTypeHint(text) || didYouMean(text, DATA_TYPES) || `; valid data types: ${DATA_TYPES.join(', ')}`;
  throw usageError(`"${text}" is not a known data type${hint}`);
}

/**
 * A path of this machine, or a location in an object store with the scheme in lower case.
 * @param name prefix of the error message. @throws usage error for other addresses.
 */
export function parseLocation(name: string, text: string): string {
  return isObjectLocation(text)
    ? normalizeScheme(text)
    : assertLocalPath(name, text, 'a file or folder of this machine, or s3://bucket/key');
}

/**
 * @param name prefix of the error message.
 * @throws usage error for a bucket, or a prefix that ends with a slash.
 */
function assertFileLocation(name: string, location: string): string {
  if (isObjectLocation(location) && !hasObjectKey(location))
    throw usageError(`${name}: names no object; use s3://bucket/key`);
  return location;
}

/**
 * Rejects addresses such as `s3://bucket`, which would otherwise create a folder named `s3:`.
 * @param name prefix of the error message. @param allowed what the message advises instead.
 * @throws usage error, without the rest of the address, since it may contain a password.
 */
export function assertLocalPath(
  name: string,
  path: string,
  allowed = 'a file or folder of this machine',
): string {
  const scheme = parseScheme(path);
  if (scheme === undefined) return path;
  throw usageError(`${name}: ${scheme}… is not supported; use ${allowed}`);
}
