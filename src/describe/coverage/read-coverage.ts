import { AuditLog } from '../../audit/audit-log.js';
import { abortReason, type TickhaulError, usageError } from '../../base/errors.js';
import { OUTPUT_EXTENSIONS } from '../../base/output-format-names.js';
import { isOutdated } from '../../convert/provenance.js';
import { type Day, msToDay, parseTimeToDay } from '../../day-files/day.js';
import { compareSeries, type DayFile } from '../../day-files/day-file.js';
import type { SelectedDays } from '../../day-files/day-selection.js';
import {
  type DayFileFilter,
  type DayFileSelection,
  openDayFileFilter,
} from '../../day-files/series-filter.js';
import type { Destination, FileLookup } from '../../store/destination.js';
import type { ManifestRecord } from '../../store/manifest-record.js';
import type { Coverage, CoverageTotals, DayBytes, DayState, SeriesCoverage } from './coverage-facts.js';

export interface ReadCoverageOptions {
  readonly selection: DayFileSelection;
  /** Only files below this path of the destination; undefined or empty for all. */
  readonly under?: string | undefined;
  /** The folder as the user typed it, for messages; by default its location. */
  readonly name?: string | undefined;
  /** Called with one line for each skipped part of the manifest. */
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Number of records after which the loop yields to other work and checks the signal. */
const RECORDS_PER_TURN = 20_000;

/**
 * Reads the coverage of a download folder from its manifest and from the list of existing files. A series covers its
 * first to its last recorded day, or the selected days. Takes no lock.
 * @throws usage error for a folder without records, an unknown name, or a selection without records; `disk`; the
 * reason of an abort.
 */
export async function readCoverage(
  destination: Destination,
  options: ReadCoverageOptions,
): Promise<Coverage> {
  const { under = '', warn, signal } = options;
  const { name = destination.locate(under) } = options;
  const below = under === '' ? '' : `${under}/`;
  const manifest = await destination.openManifest({ warn, signal });
  await manifest.close();
  if (manifest.size === 0) throw createEmptyError(name);
  const hasShard = options.selection.shard !== undefined;
  const filter = await openDayFileFilter(options.selection, () => listFiles(manifest.records()));
  const files = await destination.openLookup(undefined, signal);
  const lookUpSize = createSizeLookup(files);
  const audits = (await AuditLog.open(destination, signal)).records();
  const builders = new Map<string, SeriesBuilder>();
  const byDay = new Map<Day, number>();
  const byRecording = new Map<Day, number>();
  let count = 0;
  let isEmpty = true;
  for (const record of manifest.records()) {
    if (++count % RECORDS_PER_TURN === 0) await yieldToOthers(signal);
    const { path, file, rows, time } = record;
    if (!path.startsWith(below)) continue;
    isEmpty = false;
    if (!filter.hasSeries(file)) continue;
    const days = (): SelectedDays =>
      hasShard ? selectSeriesDays(file, filter) : filter.daysOf(file.exchange);
    const builder = getBuilder(builders, file, days);
    if (!builder.isSelected(file.day)) continue;
    const bytes = lookUpSize(record);
    builder.add(file.day, rows, bytes);
    for (const conversion of record.conversions ?? [])
      if (files.has(conversion.path) && isOutdated(conversion, file.dataType)) builder.addOutdated();
    const audit = audits.get(path);
    // Another content was audited if the checksum differs.
    if (audit?.sha256 === record.sha256 && bytes !== undefined) builder.addAudit(file.day, audit.reasons);
    if (bytes === undefined) continue;
    addBytes(byDay, file.day, bytes);
    const recorded = parseTimeToDay(time);
    if (recorded !== undefined) addBytes(byRecording, recorded, bytes);
  }
  if (isEmpty) throw usageError(`${name}: the manifest has no records of files in this folder`);
  const series = [...builders.values()].flatMap((builder) => builder.build() ?? []).sort(compareSeries);
  filter.assertMatched(series.length);
  if (series.length === 0) throw usageError(`${name}: the manifest has no records of these series and days`);
  return { series, totals: sumTotals(series), byDay: sortByDay(byDay), byRecording: sortByDay(byRecording) };
}

/** The day files of records. */
function* listFiles(records: Iterable<ManifestRecord>): Generator<DayFile> {
  for (const { file } of records) yield file;
}

function createEmptyError(name: string): TickhaulError {
  return usageError(
    `${name}: the manifest is empty; choose a folder with downloads, or record existing files with tickhaul verify --adopt`,
  );
}

/** Sums over series. */
export function sumTotals(series: readonly SeriesCoverage[]): CoverageTotals {
  const totals = {
    present: 0,
    empty: 0,
    missing: 0,
    gone: 0,
    rows: 0,
    bytes: 0,
    outdated: 0,
    audited: 0,
    degraded: 0,
  };
  for (const item of series) {
    for (const key of Object.keys(totals) as (keyof typeof totals)[]) totals[key] += item[key];
  }
  const exchanges = new Set(series.map(({ exchange }) => exchange)).size;
  return { exchanges, series: series.length, ...totals };
}

async function yieldToOthers(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (signal.aborted) throw abortReason(signal);
}

function getBuilder(
  builders: Map<string, SeriesBuilder>,
  file: DayFile,
  selectDays: () => SelectedDays,
): SeriesBuilder {
  const key = JSON.stringify([file.exchange, file.dataType, file.symbol]);
  const builder = builders.get(key) ?? createSeriesBuilder(file, selectDays());
  builders.set(key, builder);
  return builder;
}

/** The days of a series that are selected, and in the shard. */
function selectSeriesDays(file: DayFile, { daysOf, isInShard }: DayFileFilter): SelectedDays {
  const { from, to, has } = daysOf(file.exchange);
  return { from, to, has: (day) => has(day) && isInShard({ ...file, day }) };
}

function addBytes(sums: Map<Day, number>, day: Day, bytes: number): void {
  sums.set(day, (sums.get(day) ?? 0) + bytes);
}

function sortByDay(sums: ReadonlyMap<Day, number>): readonly DayBytes[] {
  return [...sums].map(([day, bytes]) => ({ day, bytes })).sort((a, b) => a.day - b.day);
}

/**
 * Creates a function that returns the bytes of a record's files on disk: the day file and its recorded conversions,
 * or if none of them exists, a file that `tickhaul convert` wrote next to the day file; undefined if there is none. It
 * returns recorded sizes; only `tickhaul verify` checks that files are complete.
 */
function createSizeLookup(files: FileLookup): (record: ManifestRecord) => number | undefined {
  const findConvertedFile = (path: string): number | undefined => {
    const stem = path.replace(/\.csv\.gz$/, '');
    const converted = OUTPUT_EXTENSIONS.map((extension) => `${stem}.${extension}`).find(files.has);
    return converted === undefined ? undefined : files.get(converted)?.bytes;
  };
  return (record) => {
    const existing = [record, ...(record.conversions ?? [])].filter(({ path }) => files.has(path));
    return existing.length === 0
      ? findConvertedFile(record.path)
      : existing.reduce((sum, { bytes }) => sum + bytes, 0);
  };
}

/** Files of one day. */
interface DayFact {
  /** Undefined if no file of the day is on disk. */
  bytes: number | undefined;
  rows: number;
}

/** Collects the days of one series in any order. */
interface SeriesBuilder {
  isSelected(day: Day): boolean;
  /** @param bytes on disk; undefined if the recorded file no longer exists. */
  add(day: Day, rows: number, bytes: number | undefined): void;
  /** Adds the verdict of the last audit on a day. @param reasons empty unless it is degraded. */
  addAudit(day: Day, reasons: readonly string[]): void;
  /** Counts a conversion that another version of the converter wrote. */
  addOutdated(): void;
  /** Creates the series within the selected days; undefined if no day remains. */
  build(): SeriesCoverage | undefined;
}

function createSeriesBuilder({ exchange, dataType, symbol }: DayFile, selected: SelectedDays): SeriesBuilder {
  const days = new Map<Day, DayFact>();
  const audits = new Map<Day, readonly string[]>();
  let outdated = 0;
  return {
    isSelected: selected.has,
    add(day, rows, bytes) {
      const fact = days.get(day);
      // A folder with two layouts contains a day file twice.
      if (fact === undefined) days.set(day, { bytes, rows });
      else if (bytes !== undefined) days.set(day, { bytes: bytes + (fact.bytes ?? 0), rows });
    },
    addAudit(day, reasons) {
      if (reasons.length > 0 || !audits.has(day)) audits.set(day, reasons);
    },
    addOutdated() {
      outdated++;
    },
    build() {
      const { first, last } = findExtent(days.keys(), selected);
      if (first > last) return undefined;
      const counts = { p: 0, e: 0, m: 0, o: 0, gone: 0, rows: 0, bytes: 0 };
      const states: DayState[] = [];
      for (let day = first; day <= last; day++) {
        const fact = days.get(day as Day);
        const state = selected.has(day as Day) ? readState(fact) : 'o';
        states.push(state);
        counts[state]++;
        if (fact === undefined) continue;
        if (fact.bytes === undefined) counts.gone++;
        else {
          counts.rows += fact.rows;
          counts.bytes += fact.bytes;
        }
      }
      const { p: present, e: empty, m: missing, o: _, ...rest } = counts;
      if (present + empty + missing === 0) return undefined;
      const audited = [...audits].filter(([day]) => day >= first && day <= last);
      const degradedDays = audited
        .map(([day, reasons]) => ({ day, reasons }))
        .filter(({ reasons }) => reasons.length > 0);
      const totals = { present, empty, missing, ...rest, outdated };
      return {
        exchange,
        dataType,
        symbol,
        first,
        states: states.join(''),
        ...totals,
        audited: audited.length,
        degraded: degradedDays.length,
        degradedDays: degradedDays.sort((a, b) => a.day - b.day),
      };
    },
  };
}

function readState(fact: DayFact | undefined): DayState {
  if (fact?.bytes === undefined) return 'm';
  return fact.rows === 0 ? 'e' : 'p';
}

/**
 * First and last day, inclusive: the bounds of the selected days if set, otherwise the recorded days within them. Today
 * and later days, which no export can have, are not missing.
 */
function findExtent(
  days: Iterable<Day>,
  { from, to, has }: SelectedDays,
): { readonly first: Day; readonly last: Day } {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const day of days) {
    if (!has(day)) continue;
    first = Math.min(first, day);
    last = Math.max(last, day);
  }
  return {
    first: (Number.isFinite(from) ? from : first) as Day,
    last: (Number.isFinite(to) ? Math.max(last, Math.min(to, msToDay(Date.now())) - 1) : last) as Day,
  };
}
