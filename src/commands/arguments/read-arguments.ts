import { MAX_TIMER_MS } from '../../base/deadline.js';
import { TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import { parseDuration, parseSize } from '../../base/units.js';
import { dataTypeHint } from '../../dataset/data-type-hints.js';
import { DATA_TYPES, type DataType, isDataType } from '../../dataset/data-types.js';
import { formatDay, parseDayWord } from '../../dataset/day.js';
import { parseShard, type Shard } from '../../dataset/shard.js';
import { isObjectLocation, parseScheme } from '../../store/location.js';
import type { CommandArgs } from './command-args.js';

/**
 * The one value of a flag, the last where it was given more than once, so that a wrapper's can be overridden; undefined
 * where it wasn't given.
 * @throws usage error when there is nothing in it.
 */
export function readTextFlag(args: CommandArgs, flag: string): string | undefined {
  const given = args[flag];
  const value = Array.isArray(given) ? given.at(-1) : given;
  if (value === undefined) return undefined;
  const text = String(value).trim();
  if (text === '') throw usageError(`--${flag} is empty; give it a value, or leave it out`);
  return text;
}

/** The values of a flag that is comma-separated or repeated; undefined where it wasn't given. */
export function readListFlag(args: CommandArgs, flag: string): readonly string[] | undefined {
  const value = args[flag];
  if (value === undefined) return undefined;
  const items = (Array.isArray(value) ? value : [value])
    .flatMap((item) => String(item).split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length === 0) throw usageError(`--${flag} is empty; give it a value, or leave it out`);
  return items;
}

export function readBooleanFlag(args: CommandArgs, flag: string): boolean {
  const value = args[flag];
  // A toggle that is given twice comes as a list.
  return Array.isArray(value) ? value.at(-1) === true : value === true;
}

/** Milliseconds. */
export function readDuration(args: CommandArgs, flag: string): number | undefined {
  return convert(args, flag, parseDuration);
}

/** Milliseconds that one timer can run: of a longer one, Node makes a millisecond. @throws usage error for longer. */
export function readTimerMs(args: CommandArgs, flag: string): number | undefined {
  const ms = readDuration(args, flag);
  if (ms !== undefined && ms > MAX_TIMER_MS) {
    throw usageError(`--${flag}: ${readTextFlag(args, flag)} is more than 24 days; write 576h or less`);
  }
  return ms;
}

/** A file or folder of this machine; `-` too, where the command knows it. @throws usage error for an address. */
export function readPath(args: CommandArgs, flag: string): string | undefined {
  const text = readTextFlag(args, flag);
  return text === undefined ? undefined : assertLocalPath(`--${flag}`, text);
}

/** As `readPath`, and what is in a store: `s3://bucket/key`. @throws usage error for any other address. */
export function readLocation(args: CommandArgs, flag: string): string | undefined {
  const text = readTextFlag(args, flag);
  return text === undefined ? undefined : parseLocationArgument(`--${flag}`, text);
}

/** As `readLocation`, for one file: an object has a key. @throws usage error for a bucket or prefix too. */
export function readFileLocation(args: CommandArgs, flag: string): string | undefined {
  const location = readLocation(args, flag);
  return location === undefined ? undefined : assertFileLocation(`--${flag} ${location}`, location);
}

/** @param name what an error begins with. @throws usage error for a bucket, or a prefix with a slash at its end. */
export function assertFileLocation(name: string, location: string): string {
  if (isObjectLocation(location) && !/^[^/]*\/\/[^/]+\/.*[^/]$/s.test(location))
    throw usageError(`${name}: names no object; write it as s3://bucket/key`);
  return location;
}

/** The positional locations of a command. @throws usage error for an address that isn't a store's. */
export function readLocations(args: CommandArgs, name: string): readonly string[] {
  const given = args[name];
  const locations = Array.isArray(given) ? given : [given];
  return locations
    .filter((location) => location !== undefined)
    .map((location) => parseLocationArgument(`<${name}>`, String(location)));
}

/** A path of this machine or an object, with its scheme in small letters. @throws usage error for any other address. */
export function parseLocationArgument(name: string, text: string): string {
  return isObjectLocation(text)
    ? text.replace(/^s3/i, 's3')
    : assertLocalPath(name, text, 'a file or folder of this machine, or s3://bucket/key');
}

/** The positional paths of a command. @throws usage error for an address among them. */
export function readPaths(args: CommandArgs, name: string): readonly string[] {
  const given = args[name];
  const paths = Array.isArray(given) ? given : [given];
  return paths.filter((path) => path !== undefined).map((path) => assertLocalPath(`<${name}>`, String(path)));
}

/**
 * Refuses `s3://bucket` and the like: a folder of the name `s3:` would be made, and called a success.
 * @param name what an error begins with. @param allowed what it advises.
 * @throws usage error, without what may be a password.
 */
export function assertLocalPath(
  name: string,
  path: string,
  allowed = 'a file or folder of this machine',
): string {
  const scheme = parseScheme(path);
  if (scheme === undefined) return path;
  throw usageError(`${name}: ${scheme}… is not supported; name ${allowed}`);
}

/** An exchange id, in any case. */
export function readExchange(args: CommandArgs): string {
  return String(args['exchange']).trim().toLowerCase();
}

/** Bytes. */
export function readSize(args: CommandArgs, flag: string): number | undefined {
  return convert(args, flag, parseSize);
}

/** A day as `YYYY-MM-DD`, of any of the words for one. */
export function readDay(args: CommandArgs, flag: string): string | undefined {
  return convert(args, flag, (text) => {
    return formatDay(parseDayWord(text, Date.now()));
  });
}

/** One data type whose columns are known here. */
export function readDataType(args: CommandArgs, flag: string): DataType | undefined {
  return convert(args, flag, (text) => {
    if (isDataType(text)) return text;
    const near = dataTypeHint(text) || didYouMean(text, DATA_TYPES) || `; known are ${DATA_TYPES.join(', ')}`;
    throw usageError(`"${text}" is not a data type that is known here${near}`);
  });
}

/** Which part of the day files is meant: `<i>/<n>`. */
export function readShard(args: CommandArgs): Shard | undefined {
  return convert(args, 'shard', parseShard);
}

/** A whole number from `min` to `max`. */
export function readCount(
  args: CommandArgs,
  flag: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  return convert(args, flag, (text) => {
    const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (count >= min && count <= max) return count;
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
    throw usageError(`"${text}" is not a whole number, ${range}`);
  });
}

function convert<T>(args: CommandArgs, flag: string, parse: (text: string) => T): T | undefined {
  const text = readTextFlag(args, flag);
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TickhaulError) throw usageError(`--${flag}: ${error.message}`);
    throw error;
  }
}
