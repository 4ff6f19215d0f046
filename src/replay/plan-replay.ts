import { TickhaulError, usageError } from '../base/errors.js';
import { didYouMean } from '../base/text.js';
import { type DataType, findDataType } from '../day-files/data-types.js';
import {
  GROUPED_SYMBOLS,
  isGlob,
  resolveKnownSymbols,
  resolveSymbolLists,
  toDatasetSymbol,
} from '../day-files/dataset-symbol.js';
import { type Day, formatDay, parseTimeToDay, US_PER_DAY } from '../day-files/day.js';
import { type DayFile, parseDayFileName } from '../day-files/day-file.js';
import type { LayoutChoice } from '../day-files/layout.js';
import type { PlannedFile } from '../download/download-options.js';
import { createDownloadPlan, type DownloadPlanSource } from '../download/plan/create-download-plan.js';
import { findUnavailability, readExportedUntil } from '../download/plan/select-series.js';
import { EXCHANGE_MESSAGE_TYPES } from '../market/message-type-name.js';
import type { Period } from '../market/trade-bars.js';
import {
  type DatasetSymbol,
  type ExchangeRecord,
  FIELDS,
  fetchRecord,
  type MetadataOptions,
} from '../service/records/fetch-records.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Destination } from '../store/destination.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { StrayFiles } from '../store/stray-files.js';
import {
  periodToDays,
  type ReplayOption,
  type ReplayRequest,
  type ReplaySeries,
  type ResolvedReplayOption,
} from './replay-request.js';

/** A series with the planned day files of its period. */
export interface PlannedReplaySeries extends Omit<ReplaySeries, 'files'> {
  readonly files: readonly PlannedFile[];
  /** Why no day of the data type is available; undefined if one is. */
  readonly unavailability: TickhaulError | undefined;
}

type ReplayPlanContext = Pick<
  DownloadPlanSource,
  'manifest' | 'destination' | 'options' | 'mayRead' | 'signal'
> & {
  readonly layout: LayoutChoice;
  readonly warn: (message: string) => void;
};

/**
 * Plans the series of a request, in the order that breaks ties: exchanges in the request's order, then data
 * type, then symbol.
 * @param records exchange records, in the order of the request's options.
 * @throws usage error for an unknown symbol, a symbol without a requested type, or an exchange without any of
 * the types.
 */
export async function planReplay(
  request: ReplayRequest,
  records: readonly ExchangeRecord[],
  context: ReplayPlanContext,
): Promise<readonly PlannedReplaySeries[]> {
  const planned: PlannedReplaySeries[] = [];
  for (const [index, option] of request.options.entries()) {
    const record = records[index];
    if (record)
      planned.push(...(await planExchange(resolveOption(option, record), record, request, context)));
  }
  return planned;
}

/** @throws usage error for a list that is no symbol and no file. */
function resolveOption(option: ReplayOption, { id, datasets }: ExchangeRecord): ResolvedReplayOption {
  const listSymbols = (): readonly string[] => (datasets?.symbols ?? []).map((symbol) => symbol.id);
  return { ...option, symbols: option.symbols && resolveKnownSymbols(option.symbols, listSymbols, id) };
}

async function planExchange(
  option: ResolvedReplayOption,
  record: ExchangeRecord,
  request: ReplayRequest,
  context: ReplayPlanContext,
): Promise<readonly PlannedReplaySeries[]> {
  const symbols = record.datasets?.symbols ?? [];
  const has = (dataType: DataType): boolean => symbols.some(({ dataTypes }) => dataTypes.includes(dataType));
  const missingTypes = request.types.filter(({ dayFileType }) => !has(dayFileType)).map(({ name }) => name);
  if (missingTypes.length === request.types.length) {
    throw usageError(
      `${record.id} has no ${missingTypes.join(' or ')} messages; run tickhaul symbols ${record.id} to list its data types`,
    );
  }
  if (missingTypes.length > 0)
    context.warn(`${record.id} has no ${missingTypes.join(' or ')} messages; skipping them`);
  const planned: PlannedReplaySeries[] = [];
  for (const dataType of Object.values(EXCHANGE_MESSAGE_TYPES)) {
    if (!has(dataType) || !request.types.some(({ dayFileType }) => dayFileType === dataType)) continue;
    planned.push(...(await planType(dataType, option, record, request, context)));
  }
  return planned;
}

async function planType(
  dataType: DataType,
  option: ResolvedReplayOption,
  record: ExchangeRecord,
  { types, period, symbolTypes }: ReplayRequest,
  context: ReplayPlanContext,
): Promise<readonly PlannedReplaySeries[]> {
  const onlySymbol = findDataType(dataType)?.onlySymbol;
  const selectedSymbols = onlySymbol ? selectRowSymbols(option, record, onlySymbol) : undefined;
  const days = periodToDays(period);
  const selection = {
    exchange: record.id,
    types: [dataType],
    symbols: onlySymbol ? [onlySymbol] : (option.symbols ?? ['all']),
    symbolTypes: onlySymbol ? undefined : symbolTypes,
    from: formatDay(days.from),
    to: formatDay(days.to),
    layout: context.layout,
  };
  if (!onlySymbol) assertSymbolsHaveType(dataType, option, record);
  const plan = await createDownloadPlan({ ...context, selection, record });
  const bySymbol = new Map<string, PlannedFile[]>(plan.series.map(({ symbol }) => [symbol, []]));
  const unavailability = findUnavailability(plan, record);
  for (const file of plan.files()) bySymbol.get(file.file.symbol)?.push(file);
  return [...bySymbol].map(([symbol, files]) => ({
    period,
    exchange: record.id,
    dataType,
    symbol: GROUPED_SYMBOLS.has(symbol) ? undefined : symbol,
    types: types.filter(({ dayFileType }) => dayFileType === dataType),
    symbols: selectedSymbols,
    files: files.sort((a, b) => a.file.day - b.file.day),
    unavailability,
  }));
}

/** Symbols selected from the rows of the only file, which has all options; undefined for all of them. */
function selectRowSymbols(
  { symbols }: ResolvedReplayOption,
  record: ExchangeRecord,
  onlySymbol: string,
): ReadonlySet<string> | undefined {
  if (!symbols || symbols.some((symbol) => symbol === 'all' || toDatasetSymbol(symbol) === onlySymbol))
    return undefined;
  const known = new Set(record.datasets?.symbols.map(({ id }) => toDatasetSymbol(id)));
  const ids = symbols.map((symbol) => {
    const id = toDatasetSymbol(symbol);
    if (isGlob(id)) throw usageError(`"${symbol}": option_summary does not accept globs; list each symbol`);
    if (!known.has(id)) {
      const near = didYouMean(id, known) || `; run tickhaul symbols ${record.id} to list them`;
      throw usageError(`unknown symbol "${symbol}" on ${record.id}${near}`);
    }
    return id;
  });
  return new Set(ids);
}

/** Globs may skip symbols without the data type; a named symbol must have it. */
function assertSymbolsHaveType(
  dataType: DataType,
  { symbols = [] }: ResolvedReplayOption,
  record: ExchangeRecord,
): void {
  const named = new Set(symbols.map(toDatasetSymbol));
  const symbol = record.datasets?.symbols.find(
    ({ id, dataTypes }) => named.has(toDatasetSymbol(id)) && !dataTypes.includes(dataType),
  );
  if (!symbol) return;
  const grouped = record.datasets?.symbols.find(
    ({ id, dataTypes }) => GROUPED_SYMBOLS.has(id) && dataTypes.includes(dataType),
  );
  throw usageError(
    `${record.id} ${symbol.id} has no ${dataType}${grouped ? ` (it is in ${grouped.id})` : ''}; leave the symbol or the type out`,
  );
}

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

/**
 * The last exported days as a period, or all of them. For several exchanges it has the days that all of them have.
 * @throws TickhaulError as `fetchRecord`; usage error for an exchange without day files.
 */
export async function fetchLastDays(
  count: number | 'all',
  exchanges: readonly Pick<ReplayOption, 'exchange'>[],
  client: ServiceClient,
  options: MetadataOptions,
): Promise<Period> {
  const exports = await Promise.all(
    exchanges.map(async ({ exchange }) => {
      const { id, datasets } = await fetchRecord(client, exchange, FIELDS.plan, options);
      if (!datasets) throw usageError(`${id} has no exported days; use --from and --to`);
      return { from: parseTimeToDay(datasets.exportedFrom ?? '') ?? 0, until: readExportedUntil(datasets) };
    }),
  );
  const end = Math.min(...exports.map(({ until }) => until));
  const start = count === 'all' ? Math.max(...exports.map(({ from }) => from)) : end - count;
  return { start: start * US_PER_DAY, end: end * US_PER_DAY };
}
