import { usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { DATA_TYPES } from '../../dataset/data-types.js';
import { checkDayRange } from '../../dataset/day-range.js';
import { type LayoutChoice, type LayoutFunction, parseLayout } from '../../dataset/layout.js';
import type { SeriesSelection } from '../../dataset/series-filter.js';
import { parseWeekdays } from '../../dataset/weekdays.js';
import type { DownloadOptions, Existing, Selection } from '../../download/types.js';
import type { Args } from '../arguments/args.js';
import {
  readCount,
  readDay,
  readDuration,
  readExchange,
  readList,
  readShard,
  readSize,
  readText,
  readTimer,
  readToggle,
} from '../arguments/read.js';
import { LIMITS, readNamedText } from '../named-text.js';
import { readConvertSetting } from './conversion.js';

/** The selection that the flags of `plan` and `download` name (contract, Selection). */
export async function readSelection(args: Args, signal: AbortSignal): Promise<Selection> {
  const types = readList(args, 'type');
  if (types === undefined)
    throw usageError(
      `--type is missing: name data types, as --type trades, or "all"; known are ${DATA_TYPES.join(', ')}`,
    );
  const symbols = await readSymbols(args, signal);
  if (symbols === undefined) {
    throw usageError('--symbol is missing: name dataset symbols, as --symbol BTCUSDT, or "all"');
  }
  return {
    exchange: readExchange(args),
    types,
    symbols,
    symbolTypes: readList(args, 'symbol-type'),
    weekdays: readWeekdays(args),
    ...readDays(args),
    layout: readLayout(args),
  };
}

/** How to transfer, with the contract's defaults. */
export function readDownloadOptions(args: Args): DownloadOptions {
  return {
    concurrency:
      readText(args, 'concurrency') === 'auto' ? 'auto' : (readCount(args, 'concurrency', 1, 100) ?? 'auto'),
    retries: readCount(args, 'retries', 0) ?? 8,
    maxWaitMs: readDuration(args, 'max-wait') ?? 15 * 60_000,
    maxRate: readRate(args),
    existing: (readText(args, 'existing') as Existing | undefined) ?? 'skip',
    failFast: readToggle(args, 'fail-fast'),
    strict: readToggle(args, 'strict'),
    convert: readConvertSetting(args),
    shard: readShard(args),
  };
}

/** A rate below this, in bytes a second, is a slip: nobody wants a file of 100 MB to take a day. */
const LEAST_RATE = 1000;

function readRate(args: Args): number | undefined {
  const rate = readSize(args, 'max-rate');
  if (rate === undefined || rate >= LEAST_RATE) return rate;
  const text = readText(args, 'max-rate');
  throw usageError(`--max-rate: "${text}" is ${plural(rate, 'byte')} a second; write 20MB, or 1000 and more`);
}

/** Milliseconds without a byte after which a transfer is broken off. */
export function readStallTimeout(args: Args): number {
  const ms = readTimer(args, 'stall-timeout') ?? 60_000;
  if (ms === 0) throw usageError('--stall-timeout must be longer than 0');
  return ms;
}

/** Looked at here already: what is wrong with it is told before anything is asked for. */
export function readLayout(args: Args): LayoutChoice {
  const layout = readGivenLayout(args) ?? 'flat';
  parseLayout(layout);
  return layout;
}

/** A function comes from the library: a flag is text. */
export function readGivenLayout(args: Args): LayoutChoice | undefined {
  const given = args['layout'];
  return typeof given === 'function' ? (given as LayoutFunction) : readText(args, 'layout');
}

/** Looked at here already, as the layout is. */
function readWeekdays(args: Args): readonly string[] | undefined {
  const list = readList(args, 'weekdays');
  if (list) parseWeekdays(list);
  return list;
}

type Days = Pick<Selection, 'from' | 'to' | 'date' | 'last'>;

function readDays(args: Args): Days {
  const days = { from: readDay(args, 'from'), to: readDay(args, 'to'), date: readDay(args, 'date') };
  const last = readLast(args);
  checkDayRange({ ...days, last });
  return { ...days, last };
}

/** A hundred years. */
const MAX_LAST_DAYS = 36_500;

/** A count of days. @throws usage error. */
export function readLast(args: Args): number | undefined {
  const text = readText(args, 'last');
  if (text === undefined) return undefined;
  const count = Number(/^(\d+)d?$/.exec(text)?.[1] ?? 0);
  if (count > MAX_LAST_DAYS)
    throw usageError(`--last: "${text}" is too many days, at most ${MAX_LAST_DAYS}d`);
  if (count >= 1) return count;
  throw usageError(`--last: "${text}" is not a number of days: write 7d for the last seven`);
}

/** Which of the day files that are there: `--exchange`, `--type`, `--symbol`. */
export async function readSeriesSelection(args: Args, signal: AbortSignal): Promise<SeriesSelection> {
  return {
    exchanges: readList(args, 'exchange'),
    dataTypes: readList(args, 'type'),
    symbols: await readSymbols(args, signal),
  };
}

/** The symbols and globs of `--symbol`, those that files list among them; undefined where it isn't given. */
export async function readSymbols(args: Args, signal: AbortSignal): Promise<readonly string[] | undefined> {
  const symbols = readList(args, 'symbol');
  return symbols && resolveSymbolFiles(symbols, signal);
}

/** Puts the symbols listed in a file in the place of its `@file`. */
async function resolveSymbolFiles(
  symbols: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const lists = symbols.map((symbol) =>
    symbol.startsWith('@') ? symbolsOfFile(symbol.slice(1), signal) : [symbol],
  );
  return (await Promise.all(lists)).flat();
}

async function symbolsOfFile(path: string, signal: AbortSignal): Promise<readonly string[]> {
  const named = { name: '--symbol', what: 'the file', path };
  const symbols = (await readNamedText(named, LIMITS.list, signal))
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (symbols.length === 0) throw usageError(`--symbol: "${path}" names no symbol; write one a line`);
  return symbols;
}
