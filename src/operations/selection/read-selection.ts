import { isAbsolute, join } from 'node:path';
import { TickhaulError, usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { DATA_TYPES } from '../../day-files/data-types.js';
import type { SymbolChoice } from '../../day-files/dataset-symbol.js';
import { assertDayRange, type Day, parseDay, parseWeekdays } from '../../day-files/day.js';
import type { RequestedSeries } from '../../day-files/series-filter.js';
import type { DownloadSettings, RequestedSelection } from '../../download/download-options.js';
import {
  PLAN_DOWNLOAD_OPTIONS,
  PLAN_SELECTION_OPTIONS,
  TRANSFER_OPTIONS,
} from '../../options/day-file-options.js';
import type { CommandArgs } from '../arguments/command-args.js';
import {
  readDayBound,
  readExchange,
  readListFlag,
  readSize,
  readTextFlag,
  readTimerMs,
} from '../arguments/read-arguments.js';
import { readOptions } from '../arguments/read-options.js';
import { MAX_TEXT_BYTES, readUserFile } from '../read-user-file.js';
import { readConvertSetting } from './read-conversion-options.js';

/**
 * The selection of `plan` and `download` (docs/spec/command-line.md#day-selection).
 * @param listFolder folder of relative `@file` lists; empty for the working folder. @throws usage error.
 */
export async function readSelection(
  args: CommandArgs,
  signal: AbortSignal,
  listFolder = '',
): Promise<RequestedSelection> {
  if (readListFlag(args, 'type') === undefined)
    throw usageError(
      `--type is required: data types, such as --type trades, or "all"; valid data types: ${DATA_TYPES.join(', ')}`,
    );
  const symbols = await readSymbolFlag(args, signal, listFolder);
  if (symbols === undefined) {
    throw usageError('--symbol is required: dataset symbols, such as --symbol BTCUSDT, or "all"');
  }
  const selection = readOptions(args, PLAN_SELECTION_OPTIONS);
  // Checked now, so that errors are reported before any request.
  if (selection.weekdays) parseWeekdays(selection.weekdays);
  assertDayRange(selection);
  return { exchange: readExchange(args), ...selection, symbols };
}

/**
 * The options of a plan, with their defaults. Every way to a plan has them from here: downloads, lists, jobs of sync,
 * and slices of the queue.
 */
export function readDownloadOptions(args: CommandArgs): DownloadSettings {
  return {
    ...readOptions(args, PLAN_DOWNLOAD_OPTIONS),
    maxRate: readRate(args),
    convert: readConvertSetting(args),
  };
}

/** Bytes per second. A lower rate is probably a mistake: a file of 100 MB would take a day. */
const MIN_RATE_BYTES = 1000;

function readRate(args: CommandArgs): number | undefined {
  const rate = readSize(args, 'max-rate');
  if (rate === undefined || rate >= MIN_RATE_BYTES) return rate;
  const text = readTextFlag(args, 'max-rate');
  throw usageError(
    `--max-rate: "${text}" is ${plural(rate, 'byte')} per second; use at least 1000, such as 20MB`,
  );
}

/** Milliseconds without progress after which a transfer is aborted. @throws usage error for 0. */
export function readStallTimeout(args: CommandArgs): number {
  const given = args['stall-timeout'] ?? TRANSFER_OPTIONS['stall-timeout'].default;
  const ms = readTimerMs({ 'stall-timeout': given }, 'stall-timeout') ?? 0;
  if (ms === 0) throw usageError('--stall-timeout must be longer than 0');
  return ms;
}

/** Selection of existing day files: `--exchange`, `--type`, `--symbol`. */
export async function readSeriesSelection(args: CommandArgs, signal: AbortSignal): Promise<RequestedSeries> {
  return {
    exchanges: readListFlag(args, 'exchange'),
    dataTypes: readListFlag(args, 'type'),
    symbols: await readSymbolFlag(args, signal),
  };
}

/** The days of `--from` and `--to`, of which the last is exclusive. @throws usage error. */
export function readDayRange(args: CommandArgs): Readonly<Record<'from' | 'to', Day | undefined>> {
  const [from, to] = ['from', 'to'].map((flag) => {
    const text = readDayBound(args, flag);
    return text === undefined ? undefined : parseDay(text);
  });
  if (from !== undefined && to !== undefined && to <= from)
    throw usageError('--to is exclusive, so it must be after --from');
  return { from, to };
}

/**
 * The symbols, globs and lists of `--symbol`; undefined if it is absent. A list that cannot be a symbol, since its path
 * begins like one, is resolved.
 * @throws usage error for such a list that cannot be read.
 */
export async function readSymbolFlag(
  args: CommandArgs,
  signal: AbortSignal,
  listFolder = '',
): Promise<readonly SymbolChoice[] | undefined> {
  const symbols = readListFlag(args, 'symbol');
  return symbols && (await Promise.all(symbols.map((text) => readSymbol(text, listFolder, signal)))).flat();
}

async function readSymbol(
  text: string,
  listFolder: string,
  signal: AbortSignal,
): Promise<readonly SymbolChoice[]> {
  if (!text.startsWith('@')) return [text];
  const path = text.slice(1);
  const list = readSymbolFile(path, listFolder, signal);
  if (/^(?:~|\.\.?)?\//.test(path)) return list;
  const [symbols, problem] = await list.then(
    (read) => [read, undefined] as const,
    (error: unknown) => {
      if (!(error instanceof TickhaulError) || error.code !== 'usage') throw error;
      return [undefined, error.message.replace(/^--symbol: /, '')] as const;
    },
  );
  return [{ name: text, symbols, problem }];
}

async function readSymbolFile(
  path: string,
  listFolder: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const named = {
    name: '--symbol',
    what: 'the file',
    path: isAbsolute(path) ? path : join(listFolder, path),
  };
  const symbols = (await readUserFile(named, MAX_TEXT_BYTES.list, signal))
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (symbols.length === 0) throw usageError(`--symbol: "${path}" contains no symbol; list one per line`);
  return symbols;
}

/** The symbols of a source without a record that could decide whether a list or a symbol is meant. */
export function expandSymbolLists(choices: readonly SymbolChoice[]): readonly string[] {
  return choices.flatMap((choice) => {
    if (typeof choice === 'string') return choice;
    // A name with a dot is probably that of a file.
    if (choice.symbols === undefined && choice.name.includes('.'))
      throw usageError(`--symbol: ${choice.problem}`);
    return choice.symbols ?? choice.name;
  });
}
