import { isAbsolute, join } from 'node:path';
import { TickhaulError, usageError } from '../../base/errors.js';
import { DATA_TYPES } from '../../day-files/data-types.js';
import type { SymbolChoice } from '../../day-files/dataset-symbol.js';
import { assertDayRange, type Day, parseDay, parseWeekdays } from '../../day-files/day.js';
import type { RequestedSeries } from '../../day-files/series-filter.js';
import type { DownloadSettings, RequestedSelection } from '../../download/download-options.js';
import {
  ARRIVAL_OPTIONS,
  ENCODING_OPTIONS,
  type EXCHANGE_ARGUMENT,
  PLAN_DOWNLOAD_OPTIONS,
  PLAN_SELECTION_OPTIONS,
} from '../../options/day-file-options.js';
import type { SERIES_OPTIONS } from '../../options/existing-file-options.js';
import type { ReadOptions } from '../../options/option-values.js';
import { pickOptions, readOptions } from '../../options/read-options.js';
import { MAX_TEXT_BYTES, readUserFile } from '../read-user-file.js';
import { readConvertSetting } from './read-conversion-options.js';

/** Options of a selection. */
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
  const selection = pickOptions(PLAN_SELECTION_OPTIONS, options);
  // Checked now, so that errors are reported before any request.
  if (selection.weekdays) parseWeekdays(selection.weekdays);
  assertDayRange(selection);
  return { exchange: exchange.toLowerCase(), ...selection, types, symbols };
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

/** Selection of existing day files: `--exchange`, `--type`, `--symbol`. */
export async function readSeriesSelection(
  { exchange, types, symbols }: ReadOptions<typeof SERIES_OPTIONS>,
  signal: AbortSignal,
): Promise<RequestedSeries> {
  return {
    exchanges: exchange,
    dataTypes: types,
    symbols: await readSymbolLists(symbols, signal),
  };
}

/** The days of `--from` and `--to`, of which the last is exclusive. @throws usage error. */
export function readDayRange(options: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): Readonly<Record<'from' | 'to', Day | undefined>> {
  const [from, to] = [options.from, options.to].map((text) =>
    text === undefined ? undefined : parseDay(text),
  );
  if (from !== undefined && to !== undefined && to <= from)
    throw usageError('--to is exclusive, so it must be after --from');
  return { from, to };
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
