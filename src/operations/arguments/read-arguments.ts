import { TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import { parseDuration, parseSize } from '../../base/units.js';
import { MAX_TIMER_MS } from '../../base/wait.js';
import { DATA_TYPES, type DataType, dayFileTypeHint, isDataType } from '../../day-files/data-types.js';
import { formatDay, parseDayWord } from '../../day-files/day.js';
import { assertFileLocation, assertLocalPath, parseLocation } from '../../options/option-types.js';
import type { CommandArgs } from './command-args.js';

/**
 * The value of a flag; undefined if it is absent. If it is repeated, the last value counts, which lets a user override
 * the flags of a wrapper script.
 * @throws usage error for an empty value.
 */
export function readTextFlag(args: CommandArgs, flag: string): string | undefined {
  const values = args[flag];
  const value = Array.isArray(values) ? values.at(-1) : values;
  if (value === undefined) return undefined;
  const text = String(value).trim();
  if (text === '') throw usageError(`--${flag} is empty; set a value, or omit it`);
  return text;
}

/**
 * The values of a flag that is comma-separated or repeated; undefined if it is absent.
 * @throws usage error if empty.
 */
export function readListFlag(args: CommandArgs, flag: string): readonly string[] | undefined {
  const value = args[flag];
  if (value === undefined) return undefined;
  const items = (Array.isArray(value) ? value : [value])
    .flatMap((item) => String(item).split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length === 0) throw usageError(`--${flag} is empty; set a value, or omit it`);
  return items;
}

export function readBooleanFlag(args: CommandArgs, flag: string): boolean {
  const value = args[flag];
  // A repeated toggle is parsed as a list.
  return Array.isArray(value) ? value.at(-1) === true : value === true;
}

/** A duration in milliseconds. */
export function readDuration(args: CommandArgs, flag: string): number | undefined {
  return parseFlag(args, flag, parseDuration);
}

/**
 * A duration in milliseconds that fits one timer: Node runs a longer timer after 1 ms.
 * @throws usage error for longer.
 */
export function readTimerMs(args: CommandArgs, flag: string): number | undefined {
  const ms = readDuration(args, flag);
  if (ms !== undefined && ms > MAX_TIMER_MS) {
    throw usageError(`--${flag}: ${readTextFlag(args, flag)} is more than 24 days; use 576h or less`);
  }
  return ms;
}

/**
 * A path of this machine, or `-` (the command decides whether that is allowed).
 * @throws usage error for an address.
 */
export function readPath(args: CommandArgs, flag: string): string | undefined {
  const text = readTextFlag(args, flag);
  return text === undefined ? undefined : assertLocalPath(`--${flag}`, text);
}

/** Like `readPath`, but also accepts `s3://bucket/key`. @throws usage error for any other address. */
export function readLocation(args: CommandArgs, flag: string): string | undefined {
  const text = readTextFlag(args, flag);
  return text === undefined ? undefined : parseLocation(`--${flag}`, text);
}

/**
 * Like `readLocation`, for a single file: an object needs a key.
 * @throws usage error for a bucket or prefix too.
 */
export function readFileLocation(args: CommandArgs, flag: string): string | undefined {
  const location = readLocation(args, flag);
  return location === undefined ? undefined : assertFileLocation(`--${flag} ${location}`, location);
}

/** The positional locations of a command. @throws usage error for an address other than `s3://`. */
export function readLocations(args: CommandArgs, name: string): readonly string[] {
  const value = args[name];
  const locations = Array.isArray(value) ? value : [value];
  return locations
    .filter((location) => location !== undefined)
    .map((location) => parseLocation(`<${name}>`, String(location)));
}

/** The positional paths of a command. @throws usage error for an address. */
export function readPaths(args: CommandArgs, name: string): readonly string[] {
  const value = args[name];
  const paths = Array.isArray(value) ? value : [value];
  return paths.filter((path) => path !== undefined).map((path) => assertLocalPath(`<${name}>`, String(path)));
}

/** The exchange id, in lower case. */
export function readExchange(args: CommandArgs): string {
  return String(args['exchange']).trim().toLowerCase();
}

/** A size in bytes. */
export function readSize(args: CommandArgs, flag: string): number | undefined {
  return parseFlag(args, flag, parseSize);
}

/** A single day as `YYYY-MM-DD`; accepts the words of `docs/spec/command-line.md#day-selection`. */
export function readDay(args: CommandArgs, flag: string): string | undefined {
  return parseFlag(args, flag, (text) => formatDay(parseDayWord(text, Date.now())));
}

/** A data type whose columns are known. */
export function readDataType(args: CommandArgs, flag: string): DataType | undefined {
  return parseFlag(args, flag, (text) => {
    if (isDataType(text)) return text;
    const hint =
      dayFileTypeHint(text) || didYouMean(text, DATA_TYPES) || `; valid data types: ${DATA_TYPES.join(', ')}`;
    throw usageError(`"${text}" is not a known data type${hint}`);
  });
}

/** An integer from `min` to `max`. */
export function readCount(
  args: CommandArgs,
  flag: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  return parseFlag(args, flag, (text) => {
    const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (count >= min && count <= max) return count;
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
    throw usageError(`"${text}" is not a whole number, ${range}`);
  });
}

function parseFlag<T>(args: CommandArgs, flag: string, parse: (text: string) => T): T | undefined {
  const text = readTextFlag(args, flag);
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TickhaulError) throw usageError(`--${flag}: ${error.message}`);
    throw error;
  }
}
