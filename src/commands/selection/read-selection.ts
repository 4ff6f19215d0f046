import { usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { DATA_TYPES } from '../../dataset/data-types.js';
import { assertDayRange } from '../../dataset/day-range.js';
import { type LayoutChoice, type LayoutFunction, parseLayout } from '../../dataset/layout.js';
import type { SeriesSelection } from '../../dataset/series-filter.js';
import { parseWeekdays } from '../../dataset/weekdays.js';
import type { DownloadSettings, Existing, Selection } from '../../download/download-options.js';
import type { CommandArgs } from '../arguments/command-args.js';
import {
  readBooleanFlag,
  readCount,
  readDay,
  readDuration,
  readExchange,
  readListFlag,
  readShard,
  readSize,
  readTextFlag,
  readTimerMs,
} from '../arguments/read-arguments.js';
import { MAX_TEXT_BYTES, readUserFile } from '../read-user-file.js';
import { readConvertSetting } from './read-conversion-options.js';

/** The selection of `plan` and `download` (docs/spec/command-line.md#day-selection). @throws usage error. */
export async function readSelection(args: CommandArgs, signal: AbortSignal): Promise<Selection> {
  const types = readListFlag(args, 'type');
  if (types === undefined)
    throw usageError(
      `--type is missing: name data types, such as --type trades, or "all"; known are ${DATA_TYPES.join(', ')}`,
    );
  const symbols = await readSymbolFlag(args, signal);
  if (symbols === undefined) {
    throw usageError('--symbol is missing: name dataset symbols, such as --symbol BTCUSDT, or "all"');
  }
  return {
    exchange: readExchange(args),
    types,
    symbols,
    symbolTypes: readListFlag(args, 'symbol-type'),
    weekdays: readWeekdays(args),
    ...readDays(args),
    layout: readLayout(args),
  };
}

/** Transfer options with their defaults. */
export function readDownloadOptions(args: CommandArgs): DownloadSettings {
  return {
    concurrency:
      readTextFlag(args, 'concurrency') === 'auto'
        ? 'auto'
        : (readCount(args, 'concurrency', 1, 100) ?? 'auto'),
    retries: readCount(args, 'retries', 0) ?? 8,
    maxWaitMs: readDuration(args, 'max-wait') ?? 15 * 60_000,
    maxRate: readRate(args),
    existing: (readTextFlag(args, 'existing') as Existing | undefined) ?? 'skip',
    failFast: readBooleanFlag(args, 'fail-fast'),
    strict: readBooleanFlag(args, 'strict'),
    convert: readConvertSetting(args),
    shard: readShard(args),
  };
}

/** Bytes per second. A lower rate is most likely a mistake: a file of 100 MB would take a day. */
const MIN_RATE_BYTES = 1000;

function readRate(args: CommandArgs): number | undefined {
  const rate = readSize(args, 'max-rate');
  if (rate === undefined || rate >= MIN_RATE_BYTES) return rate;
  const text = readTextFlag(args, 'max-rate');
  throw usageError(`--max-rate: "${text}" is ${plural(rate, 'byte')} a second; write 20MB, or 1000 and more`);
}

/** Milliseconds without progress after which a transfer is aborted. @throws usage error for 0. */
export function readStallTimeout(args: CommandArgs): number {
  const ms = readTimerMs(args, 'stall-timeout') ?? 60_000;
  if (ms === 0) throw usageError('--stall-timeout must be longer than 0');
  return ms;
}

/** Checks the layout now, so that errors are reported before any request. @throws usage error. */
export function readLayout(args: CommandArgs): LayoutChoice {
  const layout = readGivenLayout(args) ?? 'flat';
  parseLayout(layout);
  return layout;
}

/** The layout as layout: text from a flag, or a function from the library. */
export function readGivenLayout(args: CommandArgs): LayoutChoice | undefined {
  const layout = args['layout'];
  return typeof layout === 'function' ? (layout as LayoutFunction) : readTextFlag(args, 'layout');
}

/** Checks the days of the week now, so that errors are reported before any request. */
function readWeekdays(args: CommandArgs): readonly string[] | undefined {
  const list = readListFlag(args, 'weekdays');
  if (list) parseWeekdays(list);
  return list;
}

type DayFlags = Pick<Selection, 'from' | 'to' | 'date' | 'last'>;

function readDays(args: CommandArgs): DayFlags {
  const days = { from: readDay(args, 'from'), to: readDay(args, 'to'), date: readDay(args, 'date') };
  const last = readLast(args);
  assertDayRange({ ...days, last });
  return { ...days, last };
}

/** A hundred years. */
const MAX_LAST_DAYS = 36_500;

/** The number of last days. @throws usage error. */
export function readLast(args: CommandArgs): number | undefined {
  const text = readTextFlag(args, 'last');
  if (text === undefined) return undefined;
  const count = Number(/^(\d+)d?$/.exec(text)?.[1] ?? 0);
  if (count > MAX_LAST_DAYS)
    throw usageError(`--last: "${text}" is too many days, at most ${MAX_LAST_DAYS}d`);
  if (count >= 1) return count;
  throw usageError(`--last: "${text}" is not a number of days: write 7d for the last seven`);
}

/** Selection of existing day files: `--exchange`, `--type`, `--symbol`. */
export async function readSeriesSelection(args: CommandArgs, signal: AbortSignal): Promise<SeriesSelection> {
  return {
    exchanges: readListFlag(args, 'exchange'),
    dataTypes: readListFlag(args, 'type'),
    symbols: await readSymbolFlag(args, signal),
  };
}

/** The symbols and globs of `--symbol`, with `@file` lists resolved; undefined if it is absent. */
export async function readSymbolFlag(
  args: CommandArgs,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const symbols = readListFlag(args, 'symbol');
  return symbols && resolveSymbolFiles(symbols, signal);
}

/** Replaces each `@file` by the symbols listed in the file. */
async function resolveSymbolFiles(
  symbols: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const lists = symbols.map((symbol) =>
    symbol.startsWith('@') ? readSymbolFile(symbol.slice(1), signal) : [symbol],
  );
  return (await Promise.all(lists)).flat();
}

async function readSymbolFile(path: string, signal: AbortSignal): Promise<readonly string[]> {
  const named = { name: '--symbol', what: 'the file', path };
  const symbols = (await readUserFile(named, MAX_TEXT_BYTES.list, signal))
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (symbols.length === 0) throw usageError(`--symbol: "${path}" names no symbol; write one per line`);
  return symbols;
}
