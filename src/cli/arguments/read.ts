import { TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest.js';
import { parseDuration, parseSize } from '../../base/units.js';
import { DATA_TYPES, type DataType, isDataType } from '../../dataset/data-types.js';
import { parseDay } from '../../dataset/day.js';
import type { Args } from './types.js';

/**
 * The one value of a flag; undefined where it wasn't given.
 * @throws usage error when it was given more than once, or with nothing in it.
 */
export function readText(args: Args, flag: string): string | undefined {
  const value = args[flag];
  if (value === undefined) return undefined;
  if (Array.isArray(value)) throw usageError(`--${flag} is given ${value.length} times; give it once`);
  const text = String(value).trim();
  if (text === '') throw usageError(`--${flag} is empty; give it a value, or leave it out`);
  return text;
}

/** The values of a flag that is comma-separated or repeated; undefined where it wasn't given. */
export function readList(args: Args, flag: string): readonly string[] | undefined {
  const value = args[flag];
  if (value === undefined) return undefined;
  const items = (Array.isArray(value) ? value : [value])
    .flatMap((item) => String(item).split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '');
  if (items.length === 0) throw usageError(`--${flag} is empty; give it a value, or leave it out`);
  return items;
}

export function readToggle(args: Args, flag: string): boolean {
  const value = args[flag];
  // A toggle that is given twice comes as a list.
  return Array.isArray(value) ? value.at(-1) === true : value === true;
}

/** Milliseconds. */
export function readDuration(args: Args, flag: string): number | undefined {
  return convert(args, flag, parseDuration);
}

/** Bytes. */
export function readSize(args: Args, flag: string): number | undefined {
  return convert(args, flag, parseSize);
}

/** A day, as the text it was given in. */
export function readDay(args: Args, flag: string): string | undefined {
  return convert(args, flag, (text) => {
    parseDay(text);
    return text;
  });
}

/** One data type whose columns are known here. */
export function readDataType(args: Args, flag: string): DataType | undefined {
  return convert(args, flag, (text) => {
    if (isDataType(text)) return text;
    const near = didYouMean(text, DATA_TYPES) || `; known are ${DATA_TYPES.join(', ')}`;
    throw usageError(`"${text}" is not a data type that is known here${near}`);
  });
}

/** A whole number from `min` to `max`. */
export function readCount(
  args: Args,
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

function convert<T>(args: Args, flag: string, parse: (text: string) => T): T | undefined {
  const text = readText(args, flag);
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TickhaulError) throw usageError(`--${flag}: ${error.message}`);
    throw error;
  }
}
