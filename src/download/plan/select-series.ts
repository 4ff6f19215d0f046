// Resolution of a selection against an exchange's record: its data types, symbols and days.
import { TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/text.js';
import { dayFileTypeHint } from '../../day-files/data-types.js';
import {
  createGlobMatcher,
  GROUPED_SYMBOLS,
  isGlob,
  resolveKnownSymbols,
  toDatasetSymbol,
} from '../../day-files/dataset-symbol.js';
import { addDays, type Day, formatDay, msToDay, parseDay, parseTimeToDay } from '../../day-files/day.js';
import {
  assertDays,
  findEmptiness,
  formatRange,
  hasDayBetween,
  type SelectedDays,
  selectDays,
} from '../../day-files/day-selection.js';
import type { DatasetSymbol, ExchangeRecord } from '../../service/records/fetch-records.js';
import type { RequestedSelection, Selection } from '../download-options.js';

/** The days of one data type and symbol, from `first` to `until`. */
export interface Series {
  readonly dataType: string;
  readonly symbol: string;
  readonly first: Day;
  /** Not included. */
  readonly until: Day;
  /**
   * The day on which a symbol was delisted, which may not be exported
   * (docs/spec/metadata-api.md#exchange-record).
   */
  readonly doubtful: Day | undefined;
  /** Whether the symbol was selected by name instead of a glob or `all`. */
  readonly named: boolean;
}

type Datasets = NonNullable<ExchangeRecord['datasets']>;

/** The first day that is not exported yet. */
export function readExportedUntil(datasets: Datasets): Day {
  const day = parseTimeToDay(datasets.exportedUntil);
  if (day === undefined) {
    throw new TickhaulError(
      'bad_answer',
      `invalid exportedUntil from the service: "${datasets.exportedUntil}"`,
    );
  }
  return day;
}

/**
 * The days of a selection. Without an end, the range ends with the export but has at least one day, so that a nightly job
 * that runs too early reports its day as pending. Free days without a start are those since the export began.
 * @throws usage error for contradicting or missing days.
 */
export function selectRange(selection: Omit<Selection, 'symbols'>, datasets: Datasets): SelectedDays {
  assertDays(selection, true);
  const exportedUntil = readExportedUntil(datasets);
  const { date, last } = selection;
  if (date || last) return selectDays(selection, exportedUntil);
  const from = selection.from ?? formatDay(parseCachedDay(datasets.exportedFrom) ?? exportedUntil);
  const to = selection.to ?? formatDay(Math.max(exportedUntil, parseDay(from) + 1) as Day);
  return selectDays({ ...selection, from, to }, exportedUntil);
}

/**
 * The series of a selection, symbol by symbol. A data type that a symbol lacks is left out if either was selected by `all` or
 * a glob, and is a series without days if both were selected by name.
 * @throws usage error for an unknown name, with the nearest known names.
 */
export function selectSeries(selection: Selection, record: ExchangeRecord): readonly Series[] {
  const { datasets } = record;
  if (!datasets)
    throw usageError(`${record.id} has no datasets; run tickhaul exchanges to list those that do`);
  const exportedUntil = readExportedUntil(datasets);
  const listed = removeCaseDuplicates(datasets.symbols);
  const types = selectTypes(selection.types, listed, record.id);
  const { symbols, named } = selectSymbols(selection, listed, record.id);
  const series: Series[] = [];
  for (const symbol of symbols) {
    const days = readAvailability(symbol, datasets, exportedUntil);
    const isNamed = named.has(symbol);
    for (const dataType of types.list ?? symbol.dataTypes) {
      const entry = { dataType, symbol: symbol.id, named: isNamed, ...days };
      if (symbol.dataTypes.includes(dataType)) series.push(entry);
      else if (isNamed) series.push({ ...entry, until: days.first, doubtful: undefined });
    }
  }
  if (series.length === 0) throw createNoSeriesError(selection, types.list, symbols, listed, record.id);
  return series;
}

/** Error of an empty selection: some types are exported only in grouped files, which `all` leaves out. */
function createNoSeriesError(
  selection: Selection,
  types: readonly string[] | undefined,
  selected: readonly DatasetSymbol[],
  listed: readonly DatasetSymbol[],
  exchange: string,
): Error {
  const grouped = listed.filter(
    ({ id, dataTypes }) => GROUPED_SYMBOLS.has(id) && types?.some((type) => dataTypes.includes(type)),
  );
  if (grouped.length > 0 && selection.symbols.includes('all')) {
    const names = grouped.map(({ id }) => id).join(',');
    return usageError(
      `${types?.join(', ')} of ${exchange} is exported in grouped files, which "all" leaves out; use -s ${names}`,
    );
  }
  const others = [...new Set(selected.flatMap(({ dataTypes }) => dataTypes))].sort().join(', ');
  return usageError(
    `--type ${types?.join(',') ?? 'all'}: none of the selected symbols on ${exchange} has this data type; they have ${others || 'none'}`,
  );
}

function readAvailability(
  symbol: DatasetSymbol,
  datasets: Datasets,
  exportedUntil: Day,
): Pick<Series, 'first' | 'until' | 'doubtful'> {
  const first =
    parseCachedDay(symbol.availableSince) ?? parseCachedDay(datasets.exportedFrom) ?? exportedUntil;
  const exportedFrom = parseCachedDay(datasets.exportedFrom) ?? first;
  const end = parseCachedDay(symbol.availableTo);
  const since = Math.max(first, exportedFrom) as Day;
  // For a listed symbol, availableTo only repeats the end of the export; later days are pending.
  if (end === undefined || end >= exportedUntil) {
    return { first: since, until: Number.POSITIVE_INFINITY as Day, doubtful: undefined };
  }
  return { first: since, until: addDays(end, 1), doubtful: end };
}

/** Whether the symbol is still listed. */
export function isStillListed({ until }: Series): boolean {
  return until === Number.POSITIVE_INFINITY;
}

/**
 * Removes series without days in the range that were selected by a glob or `all`: an exchange lists every symbol it ever
 * had. If no series is left, all are kept, to show that nothing is available.
 */
export function filterSeriesInRange(series: readonly Series[], range: SelectedDays): readonly Series[] {
  const inRange = series.filter((entry) => entry.named || hasSelectedDay(entry, range));
  return inRange.length > 0 ? inRange : series;
}

function hasSelectedDay({ first, until }: Series, range: SelectedDays): boolean {
  return hasDayBetween(range, Math.max(first, range.from), Math.min(until, range.to));
}

function parseCachedDay(iso: string | undefined): Day | undefined {
  if (iso === undefined) return undefined;
  let day = dayByTime.get(iso);
  if (day === undefined) {
    day = parseTimeToDay(iso);
    if (day === undefined) return undefined;
    if (dayByTime.size > 10_000) dayByTime.clear();
    dayByTime.set(iso, day);
  }
  return day;
}

/** Parsed times: a record has the same few times for all its symbols. */
const dayByTime = new Map<string, Day>();

/** The part of a plan that says which days were selected. */
interface SelectedSeries {
  readonly exchange: string;
  readonly series: readonly Series[];
  readonly range: SelectedDays;
  readonly selection: Selection;
}

/** Symbols that an error names. */
const MAX_SYMBOLS = 3;

/**
 * Checks that days which the user chose have, or will have, a day file: otherwise a run would succeed with nothing.
 * @throws TickhaulError `not_exported` for days in the future; as `findUnavailability`.
 */
export function assertAvailable(plan: SelectedSeries, record: ExchangeRecord, nowMs: number): void {
  const { exchange, range } = plan;
  if (range.from > msToDay(nowMs)) {
    throw new TickhaulError(
      'not_exported',
      `${exchange}: ${formatDay(range.from)} lies in the future; choose earlier days`,
    );
  }
  const error = findUnavailability(plan, record);
  if (error) throw error;
}

/**
 * Why no selected day of any series is or will be exported: error `unavailable`, or `usage` if the series do not
 * exist, or the range has none of the weekdays. Undefined if one is. Days of other shards count.
 */
export function findUnavailability(
  { exchange, series, range, selection }: SelectedSeries,
  record: ExchangeRecord,
): TickhaulError | undefined {
  const empty = findEmptiness(selection, range);
  if (empty) return empty;
  if (series.some((entry) => hasSelectedDay(entry, range))) return undefined;
  const existing = series.filter(({ first, until }) => first < until);
  if (existing.length === 0) return createLacksError(series, record);
  const bySymbol = new Map(existing.map((entry) => [entry.symbol, describeSpan(entry, range)]));
  const others = bySymbol.size - MAX_SYMBOLS;
  const spans = [...bySymbol.values()].slice(0, MAX_SYMBOLS).join(', ');
  return new TickhaulError(
    'unavailable',
    `${exchange} ${formatRange(range)}: ${spans}${others > 0 ? ` (and ${others} more symbols without such a day)` : ''}`,
  );
}

/** Error for data types that none of the selected symbols has. */
function createLacksError(series: readonly Series[], record: ExchangeRecord): TickhaulError {
  const [first] = series;
  const types = [...new Set(series.map(({ dataType }) => dataType))].join(', ');
  const known = record.datasets?.symbols.find(({ id }) => id === first?.symbol)?.dataTypes ?? [];
  return usageError(`${record.id} ${first?.symbol} has no ${types}; it has ${known.join(', ')}`);
}

/** Of a series without a selected day: each is before its first day, or after its last one. */
function describeSpan({ symbol, first, until }: Series, range: SelectedDays): string {
  if (hasDayBetween(range, Math.max(range.from, until), range.to))
    return `${symbol} ended on ${formatDay((until - 1) as Day)}`;
  return `${symbol} begins on ${formatDay(first)}`;
}

/**
 * Removes symbols that differ only in case, since they would share a path. The one in upper case, the form of dataset
 * symbols, is kept, else the first.
 */
function removeCaseDuplicates(symbols: readonly DatasetSymbol[]): readonly DatasetSymbol[] {
  const byName = new Map<string, DatasetSymbol>();
  for (const symbol of symbols) {
    const name = toDatasetSymbol(symbol.id);
    if (symbol.id === name ? byName.get(name)?.id !== name : !byName.has(name)) byName.set(name, symbol);
  }
  return byName.size === symbols.length ? symbols : [...byName.values()];
}

/**
 * Resolves data types to the record's spelling; an undefined list for `all`.
 * @throws usage error for a type that no symbol has, with the nearest or all known types.
 */
function selectTypes(
  selected: readonly string[],
  symbols: readonly DatasetSymbol[],
  exchange: string,
): { readonly list: readonly string[] | undefined } {
  if (selected.length === 0) throw usageError('no data type selected; use --type trades, a list, or all');
  if (selected.includes('all')) return { list: undefined };
  const known = new Set<string>();
  for (const symbol of symbols) for (const type of symbol.dataTypes) known.add(type);
  const list = selected.map((type) => {
    if (known.has(type)) return type;
    // Accept another case.
    for (const name of known) if (name.toLowerCase() === type.toLowerCase()) return name;
    throw usageError(
      `unknown data type "${type}" for ${exchange}${dayFileTypeHint(type) || didYouMean(type, known) || `; it has ${[...known].sort().join(', ')}`}`,
    );
  });
  return { list: [...new Set(list)] };
}

/** Resolves lists of symbols against an exchange's record. @throws usage error for one that is no symbol and no file. */
export function resolveSelection(selection: RequestedSelection, { id, datasets }: ExchangeRecord): Selection {
  const symbols = (): readonly string[] => (datasets?.symbols ?? []).map((symbol) => symbol.id);
  return { ...selection, symbols: resolveKnownSymbols(selection.symbols, symbols, id) };
}

interface SymbolSelection {
  readonly symbols: readonly DatasetSymbol[];
  /** Symbols that were selected by name instead of a glob or `all`. */
  readonly named: ReadonlySet<DatasetSymbol>;
}

/** @throws usage error for a symbol, glob or symbol type that the record lacks, with the nearest names. */
function selectSymbols(
  selection: Selection,
  symbols: readonly DatasetSymbol[],
  exchange: string,
): SymbolSelection {
  if (selection.symbols.length === 0)
    throw usageError('no symbol selected; use --symbol BTCUSDT, a list, a glob or all');
  const named = new Set<DatasetSymbol>();
  const matched = new Set<DatasetSymbol>();
  const byId = createSymbolIndex(symbols);
  for (const text of selection.symbols) {
    const id = toDatasetSymbol(text);
    const exact = text === 'all' ? undefined : byId().get(id);
    if (exact) {
      named.add(exact);
      matched.add(exact);
    } else {
      const matches = matchSymbols(text, id, symbols);
      if (matches.length === 0) throw createUnknownSymbolError(text, id, byId(), exchange);
      for (const symbol of matches) matched.add(symbol);
    }
  }
  return { symbols: filterBySymbolType([...matched], selection.symbolTypes ?? [], symbols, exchange), named };
}

/** Symbols by normalized id, computed on first use. */
function createSymbolIndex(symbols: readonly DatasetSymbol[]): () => ReadonlyMap<string, DatasetSymbol> {
  let index: ReadonlyMap<string, DatasetSymbol> | undefined;
  return () => {
    index ??= new Map(symbols.map((symbol) => [toDatasetSymbol(symbol.id), symbol]));
    return index;
  };
}

function matchSymbols(text: string, id: string, symbols: readonly DatasetSymbol[]): readonly DatasetSymbol[] {
  if (text === 'all') return symbols.filter((symbol) => !GROUPED_SYMBOLS.has(symbol.id));
  if (!isGlob(text)) return [];
  const matches = createGlobMatcher(id);
  return symbols.filter((symbol) => matches(toDatasetSymbol(symbol.id)));
}

function createUnknownSymbolError(
  text: string,
  id: string,
  known: ReadonlyMap<string, unknown>,
  exchange: string,
): Error {
  if (isGlob(text))
    return usageError(
      `no symbol on ${exchange} matches "${text}"; run tickhaul symbols ${exchange} to list them`,
    );
  const hint = didYouMean(id, known.keys()) || `; run tickhaul symbols ${exchange} to list them`;
  return usageError(`unknown symbol "${text}" on ${exchange}${hint}`);
}

function filterBySymbolType(
  matched: readonly DatasetSymbol[],
  selected: readonly string[],
  allSymbols: readonly DatasetSymbol[],
  exchange: string,
): readonly DatasetSymbol[] {
  if (selected.length === 0) return matched;
  const known = new Set(allSymbols.flatMap((symbol) => symbol.type ?? []));
  for (const type of selected) {
    if (!known.has(type)) {
      throw usageError(
        `unknown symbol type "${type}" on ${exchange}${didYouMean(type, known)}; it has ${[...known].sort().join(', ')}`,
      );
    }
  }
  const filtered = matched.filter(({ type }) => type !== undefined && selected.includes(type));
  if (filtered.length > 0) return filtered;
  const types = [...new Set(matched.flatMap(({ type }) => type ?? []))].sort().join(', ');
  throw usageError(
    `--symbol-type ${selected.join(',')}: no selected symbol on ${exchange} has this type; they have ${types || 'none'}`,
  );
}
