import { TickhaulError } from '../base/errors.js';
import { didYouMean } from '../base/nearest-names.js';
import { findDataType } from '../dataset/data-types.js';
import { isGlob, resolveSymbolLists, toDatasetSymbol } from '../dataset/dataset-symbol.js';
import { type Day, formatDay } from '../dataset/day.js';
import type { DayFile } from '../dataset/day-file.js';
import { parseDayFileName } from '../dataset/day-file.js';
import type { PlannedFile } from '../download/download-options.js';
import type { DatasetSymbol, ExchangeRecord } from '../service/records/fetch-records.js';
import type { Destination } from '../store/destination.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { StrayFiles } from '../store/stray-files.js';
import { periodToDays } from './parse-period.js';
import type { PlannedReplaySeries } from './plan-replay.js';
import type { ReplayOption, ReplayRequest } from './replay-request.js';

/** Data types and days of one symbol's files. */
interface SymbolFiles {
  readonly dataTypes: Set<string>;
  first: Day;
  last: Day;
}

/** The day files of a destination: those in its manifest, and unrecorded ones whose names identify them. */
export async function listDayFiles(
  destination: Destination,
  manifest: Manifest,
  warn: (message: string) => void,
  signal: AbortSignal,
): Promise<readonly DayFile[]> {
  const files = [...manifest.records()].map(({ file }) => file);
  const strays = new StrayFiles(destination.files);
  for await (const listed of destination.list('', signal)) {
    for (const { path } of listed) {
      const file = manifest.has(path) ? undefined : parseDayFileName(path);
      if (file && !(await strays.has(path, destination.locate, signal))) files.push(file);
    }
  }
  const passedOver = strays.describe();
  if (passedOver !== undefined) warn(passedOver);
  return files;
}

/**
 * Derives a record from day files for an exchange whose record is not stored, with symbols in alphabetical
 * order. A symbol named in the request counts as available on every day of the period; other symbols from
 * their first file to their last.
 * @returns undefined if the exchange has no files.
 */
export function deriveExchangeRecord(
  { exchange, symbols: requested = [] }: ReplayOption,
  { types, period }: ReplayRequest,
  files: readonly DayFile[],
): ExchangeRecord | undefined {
  const bySymbol = new Map<string, SymbolFiles>();
  for (const { symbol, dataType, day } of files.filter((file) => file.exchange === exchange)) {
    const known = bySymbol.get(symbol) ?? { dataTypes: new Set(), first: day, last: day };
    known.dataTypes.add(dataType);
    known.first = Math.min(known.first, day) as Day;
    known.last = Math.max(known.last, day) as Day;
    bySymbol.set(symbol, known);
  }
  if (bySymbol.size === 0) return undefined;
  const named = new Set(resolveSymbolLists(requested, () => bySymbol.keys()).map(toDatasetSymbol));
  const symbols = [...bySymbol].map(([id, { dataTypes, first, last }]): DatasetSymbol => {
    const bounds = { availableSince: formatDay(first), availableTo: formatDay(last) };
    return { id, dataTypes: [...dataTypes], ...(named.has(toDatasetSymbol(id)) ? {} : bounds) };
  });
  // Options are rows of one grouped file, so no file is named after them.
  if (types.some(({ dayFileType }) => findDataType(dayFileType)?.onlySymbol)) {
    for (const id of named) if (!bySymbol.has(id)) symbols.push({ id, dataTypes: [] });
  }
  symbols.sort((a, b) => (a.id < b.id ? -1 : 1));
  const { from, to } = periodToDays(period);
  const datasets = { exportedFrom: formatDay(from), exportedUntil: formatDay(to), symbols };
  return { id: exchange, datasets };
}

/**
 * Checks that each named symbol has a file of each requested data type. Only the files of a folder are known, so the
 * exchange may have others.
 * @throws TickhaulError `not_exported`.
 */
export function assertNamedFiles(
  { exchange, symbols = [] }: ReplayOption,
  { types }: ReplayRequest,
  files: readonly DayFile[],
  folder: string,
): void {
  const missing = (what: string, near = ''): TickhaulError =>
    new TickhaulError(
      'not_exported',
      `no file of ${exchange} ${what} in ${folder}${near || '; run without --offline, or download first'}`,
    );
  for (const dataType of new Set(types.map(({ dayFileType }) => dayFileType))) {
    const ofType = files.filter((file) => file.exchange === exchange && file.dataType === dataType);
    const names = resolveSymbolLists(symbols, () => ofType.map(({ symbol }) => symbol));
    if (ofType.length === 0) throw missing([dataType, ...names].join(' '));
    // Options are rows of one grouped file.
    if (findDataType(dataType)?.onlySymbol) continue;
    const known = new Set(ofType.map(({ symbol }) => toDatasetSymbol(symbol)));
    const named = names.filter((symbol) => symbol !== 'all' && !isGlob(symbol));
    const absent = named.find((symbol) => !known.has(toDatasetSymbol(symbol)));
    if (absent !== undefined)
      throw missing(`${dataType} ${absent}`, didYouMean(toDatasetSymbol(absent), known));
  }
}

/** One file for each day on which an exchange and data type have no file of any symbol. */
export function findDaysWithoutFile(planned: readonly PlannedReplaySeries[]): readonly PlannedFile[] {
  const byDay = new Map<string, PlannedFile>();
  const isThere = new Set<string>();
  for (const planFile of planned.flatMap(({ files }) => files)) {
    const { exchange, dataType, day } = planFile.file;
    const key = `${exchange} ${dataType} ${day}`;
    if (planFile.status !== 'unavailable') isThere.add(key);
    else if (!byDay.has(key)) byDay.set(key, planFile);
  }
  return [...byDay].filter(([key]) => !isThere.has(key)).map(([, file]) => file);
}
