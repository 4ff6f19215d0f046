import { TickhaulError, usageError } from '../../base/errors.js';
import { GROUPED_SYMBOLS } from '../../dataset/dataset-symbol.js';
import { addDays, type Day, parseDay, parseTimeToDay } from '../../dataset/day.js';
import { assertDayRange } from '../../dataset/day-range.js';
import type { DatasetSymbol, ExchangeRecord } from '../../service/records/fetch-records.js';
import type { Selection } from '../download-options.js';
import { removeCaseDuplicates, selectSymbols, selectTypes } from './select-names.js';

/** All days of one data type and symbol. Days outside `takeFirst` to `until` are not there. */
export interface Series {
  readonly dataType: string;
  readonly symbol: string;
  readonly first: Day;
  /** Not included. */
  readonly until: Day;
  /** The day on which a delisted symbol ended: whether it was exported is not known (service facts, Metadata). */
  readonly doubtful: Day | undefined;
  /** Its symbol was named, and not found by a glob or `all`. */
  readonly named: boolean;
}

export interface SelectedRange {
  readonly from: Day;
  /** Not included. */
  readonly to: Day;
}

type Datasets = NonNullable<ExchangeRecord['datasets']>;

/** The first day past the export of an exchange's record. */
export function readExportedUntil(datasets: Datasets): Day {
  const day = parseTimeToDay(datasets.exportedUntil);
  if (day === undefined) {
    throw new TickhaulError('bad_answer', `exportedUntil is no time: "${datasets.exportedUntil}"`);
  }
  return day;
}

/**
 * The days of a selection. Without an end it is the export's, and at least one day, so that a night's cron job
 * which comes too early sees its day as pending.
 * @throws usage error for contradicting or missing days.
 */
export function selectRange(selection: Selection, exportedUntil: Day): SelectedRange {
  const { from, to, date, last } = selection;
  assertDayRange(selection);
  if (date) return { from: parseDay(date), to: addDays(parseDay(date), 1) };
  if (last) return { from: addDays(exportedUntil, -last), to: exportedUntil };
  if (!from)
    throw usageError('no days selected: give --from <day> [--to <day>], --date <day> or --last <n>d');
  const first = parseDay(from);
  const end = to ? parseDay(to) : (Math.max(exportedUntil, first + 1) as Day);
  return { from: first, to: end };
}

/**
 * The series of a selection, symbol by symbol. A data type that a symbol doesn't have is left out where either
 * came from `all` or a glob, and is a series of no days where both were named.
 * @throws usage error for an unknown name, with the nearest known ones.
 */
export function selectSeries(selection: Selection, record: ExchangeRecord): readonly Series[] {
  const { datasets } = record;
  if (!datasets) throw usageError(`${record.id} has no datasets; see: tickhaul exchanges`);
  const exportedUntil = readExportedUntil(datasets);
  const listed = removeCaseDuplicates(datasets.symbols);
  const types = selectTypes(selection.types, listed, record.id);
  const { symbols, named } = selectSymbols(selection, listed, record.id);
  const series: Series[] = [];
  for (const symbol of symbols) {
    const days = readAvailability(symbol, datasets, exportedUntil);
    const isNamed = named.has(symbol);
    for (const dataType of types.list ?? symbol.dataTypes) {
      const one = { dataType, symbol: symbol.id, named: isNamed, ...days };
      if (symbol.dataTypes.includes(dataType)) series.push(one);
      else if (isNamed) series.push({ ...one, until: days.first, doubtful: undefined });
    }
  }
  if (series.length === 0) throw createNoSeriesError(selection, types.list, listed, record.id);
  return series;
}

/** Some types are exported in grouped files alone, which `all` leaves out. */
function createNoSeriesError(
  selection: Selection,
  types: readonly string[] | undefined,
  listed: readonly DatasetSymbol[],
  exchange: string,
): Error {
  const grouped = listed.filter(
    ({ id, dataTypes }) => GROUPED_SYMBOLS.has(id) && types?.some((type) => dataTypes.includes(type)),
  );
  if (grouped.length > 0 && selection.symbols.includes('all')) {
    const names = grouped.map(({ id }) => id).join(',');
    return usageError(
      `${types?.join(', ')} of ${exchange} is exported in grouped files, which "all" leaves out: take -s ${names}`,
    );
  }
  return usageError(`no symbol of ${exchange} matches the selection; see: tickhaul symbols ${exchange}`);
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
  // For a symbol that is listed, the end only repeats the export's; what comes after it is still to be exported.
  if (end === undefined || end >= exportedUntil) {
    return { first: since, until: Number.POSITIVE_INFINITY as Day, doubtful: undefined };
  }
  return { first: since, until: addDays(end, 1), doubtful: end };
}

/** Whether more days of it are to come. */
export function isStillListed({ until }: Series): boolean {
  return until === Number.POSITIVE_INFINITY;
}

/**
 * Leaves out the series that a glob or `all` found and that have no day in the range: an exchange lists
 * every symbol it ever had. Where nothing else is left they stay, and show that nothing is available.
 */
export function filterSeriesInRange(
  series: readonly Series[],
  { from, to }: SelectedRange,
): readonly Series[] {
  const kept = series.filter((one) => one.named || Math.max(one.first, from) < Math.min(one.until, to));
  return kept.length > 0 ? kept : series;
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

/** A record names the same few times for all its symbols. */
const dayByTime = new Map<string, Day>();
