import { isAbsolute, join } from 'node:path';
import { TickhaulError, usageError } from '../../base/errors.js';
import { DATA_TYPES } from '../../day-files/data-types.js';
import { type SymbolChoice, toDatasetSymbol } from '../../day-files/dataset-symbol.js';
import { parseDayOrMonth } from '../../day-files/day.js';
import { assertDays, type DaySelection } from '../../day-files/day-selection.js';
import type { DayFileSelection, SelectionFacts } from '../../day-files/series-filter.js';
import type { DownloadSettings, RequestedSelection } from '../../download/download-options.js';
import {
  ARRIVAL_OPTIONS,
  ENCODING_OPTIONS,
  type EXCHANGE_ARGUMENT,
  type FILTER_OPTIONS,
  LAYOUT_OPTIONS,
  PLAN_DOWNLOAD_OPTIONS,
  type PLAN_SELECTION_OPTIONS,
} from '../../options/day-file-options.js';
import type { ReadOptions } from '../../options/option-values.js';
import { pickOptions, readOptions } from '../../options/read-options.js';
import type { Context } from '../context.js';
import { MAX_TEXT_BYTES, readUserFile } from '../read-user-file.js';
import { readConvertSetting } from './read-conversion-options.js';

export type SelectionValues = ReadOptions<typeof EXCHANGE_ARGUMENT & typeof PLAN_SELECTION_OPTIONS>;

/** Options of a plan. */
export type DownloadValues = ReadOptions<
  typeof PLAN_DOWNLOAD_OPTIONS & typeof ARRIVAL_OPTIONS & typeof ENCODING_OPTIONS
>;

/**
 * The selection of `plan` and `download` (docs/spec/command-line.md#day-selection).
 * @param listFolder folder of relative `@file` lists; empty for the working folder. @throws usage error.
 */
export async function readSelection(
  options: SelectionValues,
  signal: AbortSignal,
  listFolder = '',
): Promise<RequestedSelection> {
  const { exchange = '', types } = options;
  if (types === undefined)
    throw usageError(
      `--type is required: data types, such as --type trades, or "all"; valid data types: ${DATA_TYPES.join(', ')}`,
    );
  const symbols = await readSymbolLists(options.symbols, signal, listFolder);
  if (symbols === undefined) {
    throw usageError('--symbol is required: dataset symbols, such as --symbol BTCUSDT, or "all"');
  }
  const days = await readDays(options, signal, listFolder);
  // Checked now, so that errors are reported before any request.
  assertDays(days, true);
  const { symbolTypes } = options;
  return {
    exchange: exchange.toLowerCase(),
    types,
    symbols,
    symbolTypes,
    ...days,
    ...pickOptions(LAYOUT_OPTIONS, options),
  };
}

/**
 * The options of a plan, with their defaults. Every way to a plan has them from here: downloads, lists, jobs of sync,
 * and slices of the queue.
 */
export function readDownloadOptions(options: DownloadValues): DownloadSettings {
  return { ...pickOptions(PLAN_DOWNLOAD_OPTIONS, options), convert: readConvertSetting(options) };
}

/** The options of downloads that a command starts besides, with the defaults of those that it has not. */
export function completeDownloadOptions(options: Partial<Omit<DownloadValues, 'given'>>): DownloadSettings {
  const defaults = readOptions(DOWNLOAD_READ, {});
  return readDownloadOptions({ ...defaults, ...options, given: defaults.given });
}

/** Options of a plan, with their defaults. */
export const DOWNLOAD_READ = {
  ...PLAN_DOWNLOAD_OPTIONS,
  ...ARRIVAL_OPTIONS,
  ...ENCODING_OPTIONS,
} as const;

/** The options that select the day files of a folder. */
export type FilterValues = ReadOptions<typeof FILTER_OPTIONS> & { readonly offline?: boolean };

/**
 * Reads the selection of a command that reads a folder. Of exchange records, only those that the selection needs are
 * read, when it meets its files: with `--offline` the stored ones.
 * @throws usage error.
 */
export async function readDayFileSelection(
  options: FilterValues,
  context: Pick<Context, 'client' | 'settings' | 'signal'>,
): Promise<DayFileSelection> {
  const { signal } = context;
  const { exchange: exchanges, types: dataTypes, symbolTypes, shard, offline } = options;
  const symbols = await readSymbolLists(options.symbols, signal);
  const days = await readDays(options, signal);
  assertDays(days, false);
  const flag = symbolTypes === undefined ? '--last' : '--symbol-type';
  const fetchFacts = (exchange: string): Promise<SelectionFacts> =>
    fetchSelectionFacts(exchange, flag, context, offline);
  return { exchanges, dataTypes, symbols, symbolTypes, days, shard, fetchFacts };
}

/** @param flag the flag that needs the record, for errors. @throws TickhaulError as `fetchRecord`; usage error. */
async function fetchSelectionFacts(
  exchange: string,
  flag: string,
  { client, settings, signal }: Pick<Context, 'client' | 'settings' | 'signal'>,
  offline: boolean | undefined,
): Promise<SelectionFacts> {
  const { FIELDS, fetchRecord } = await import('../../service/records/fetch-records.js');
  const { readExportedUntil } = await import('../../download/plan/select-series.js');
  const { cacheDir: cache } = await settings();
  try {
    const { datasets } = await fetchRecord(await client(), exchange, FIELDS.plan, { cache, offline, signal });
    if (!datasets) throw usageError(`${exchange} has no datasets`);
    const types = new Map(datasets.symbols.map(({ id, type }) => [toDatasetSymbol(id), type]));
    return {
      exportedUntil: readExportedUntil(datasets),
      typeOf: (symbol) => types.get(toDatasetSymbol(symbol)),
    };
  } catch (error) {
    if (!(error instanceof TickhaulError) || signal.aborted) throw error;
    throw new TickhaulError(error.code, `${flag}: ${error.message}`, { status: error.status, cause: error });
  }
}

/** The flags of days, which every command has. */
type DayValues = Pick<FilterValues, 'from' | 'to' | 'date' | 'days' | 'last' | 'weekdays' | 'free'>;

/**
 * The days of a selection, with those of `@file` lists.
 * @param listFolder folder of relative lists; empty for the working folder. @throws usage error for a list.
 */
export async function readDays(
  { from, to, date = [], days = [], last, weekdays, free }: DayValues,
  signal: AbortSignal,
  listFolder = '',
): Promise<DaySelection> {
  const read = async (flag: string, items: readonly string[]): Promise<readonly string[]> =>
    (await Promise.all(items.map((item) => readDayItem(flag, item, listFolder, signal)))).flat();
  const dates = [...(await read('--date', date)), ...(await read('--days', days))];
  return {
    from,
    to,
    date: dates.length > 0 ? dates : undefined,
    last,
    weekdays,
    free: free || undefined,
  };
}

async function readDayItem(
  flag: string,
  item: string,
  listFolder: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!item.startsWith('@')) return [item];
  const path = item.slice(1);
  const lines = await readList(flag, path, listFolder, signal);
  if (lines.length === 0) throw usageError(`${flag}: "${path}" contains no day; list one per line`);
  return lines.map(({ text, line }) => {
    try {
      return parseDayOrMonth(text, Date.now());
    } catch (error) {
      if (error instanceof TickhaulError) throw usageError(`${flag}: ${path}:${line}: ${error.message}`);
      throw error;
    }
  });
}

/** The lines of a list, without blank lines and comments. */
async function readList(
  name: string,
  path: string,
  listFolder: string,
  signal: AbortSignal,
): Promise<readonly { readonly text: string; readonly line: number }[]> {
  const named = { name, what: 'the file', path: isAbsolute(path) ? path : join(listFolder, path) };
  return (await readUserFile(named, MAX_TEXT_BYTES.list, signal))
    .split(/\r\n|\r|\n/)
    .map((text, index) => ({ text: text.trim(), line: index + 1 }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
}

/**
 * The symbols, globs and lists of `--symbol`; undefined if it is absent. A list that cannot be a symbol, since its path
 * begins like one, is resolved.
 * @throws usage error for such a list that cannot be read.
 */
export async function readSymbolLists(
  symbols: readonly string[] | undefined,
  signal: AbortSignal,
  listFolder = '',
): Promise<readonly SymbolChoice[] | undefined> {
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
  const symbols = (await readList('--symbol', path, listFolder, signal)).map(({ text }) => text);
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
