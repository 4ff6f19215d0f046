import { abortReason, type TickhaulError, usageError } from '../base/errors.js';
import { isOutdated } from '../convert/output/versions.js';
import { type Day, dayOfTime } from '../dataset/day.js';
import type { DayFile } from '../dataset/day-file.js';
import { createSeriesFilter } from '../dataset/series-filter.js';
import type { Destination } from '../store/destination.js';
import { createSizes } from './on-disk.js';
import { createSeriesBuilder, type SeriesBuilder } from './series.js';
import type { Coverage, CoverageSelection, CoverageTotals, DayBytes, SeriesCoverage } from './types.js';

export interface CoverageOptions {
  readonly selection: CoverageSelection;
  /** Only what lies below this path of the destination; undefined, or an empty one, for all. */
  readonly under?: string | undefined;
  /** Is told, in one line each, what of the manifest was passed over. */
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Records between two looks at the signal, and turns for others. */
const RECORDS_A_TURN = 20_000;

/**
 * What a download folder holds, by its manifest and a look at which of the files are there. A series runs from its
 * first recorded day to its last one, or over the selected days. No lock is taken.
 * @throws usage error for a folder without records, an unknown name, or days of which nothing is recorded;
 * `disk`; the reason of an abort.
 */
export async function readCoverage(destination: Destination, options: CoverageOptions): Promise<Coverage> {
  const { selection, under = '', warn, signal } = options;
  const name = destination.locate(under);
  const below = under === '' ? '' : `${under}/`;
  const manifest = await destination.openManifest({ warn, signal });
  await manifest.close();
  if (manifest.size === 0) throw nothingIn(name);
  const filter = createSeriesFilter(selection);
  const survey = await destination.survey(undefined, signal);
  const sizeOf = createSizes(survey);
  const builders = new Map<string, SeriesBuilder>();
  const byDay = new Map<Day, number>();
  const byRecording = new Map<Day, number>();
  let count = 0;
  let isEmpty = true;
  for (const record of manifest.records()) {
    if (++count % RECORDS_A_TURN === 0) await nextTurn(signal);
    const { path, file, rows, time } = record;
    if (!path.startsWith(below)) continue;
    isEmpty = false;
    if (!filter.wants(file)) continue;
    const builder = builderOf(builders, file);
    if (!isWithin(file.day, selection)) continue;
    const bytes = sizeOf(record);
    builder.add(file.day, rows, bytes);
    for (const made of record.conversions ?? [])
      if (survey.has(made.path) && isOutdated(made, file.dataType)) builder.addOutdated();
    if (bytes === undefined) continue;
    addBytes(byDay, file.day, bytes);
    const recorded = dayOfTime(time);
    if (recorded !== undefined) addBytes(byRecording, recorded, bytes);
  }
  if (isEmpty) throw nothingIn(name);
  filter.check();
  const series = [...builders.values()].flatMap((builder) => builder.build(selection) ?? []).sort(byName);
  if (series.length === 0) throw usageError(`${name}: nothing is recorded of these series and days`);
  return { series, totals: totalsOf(series), byDay: ascending(byDay), byRecording: ascending(byRecording) };
}

function nothingIn(name: string): TickhaulError {
  return usageError(
    `${name}: nothing is recorded here; name a download folder, or record what is there with tickhaul verify --adopt`,
  );
}

/** Sums over series. */
export function totalsOf(series: readonly SeriesCoverage[]): CoverageTotals {
  const totals = { present: 0, empty: 0, missing: 0, gone: 0, rows: 0, bytes: 0, outdated: 0 };
  for (const one of series) {
    for (const key of Object.keys(totals) as (keyof typeof totals)[]) totals[key] += one[key];
  }
  const exchanges = new Set(series.map(({ exchange }) => exchange)).size;
  return { exchanges, series: series.length, ...totals };
}

async function nextTurn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  if (signal.aborted) throw abortReason(signal);
}

function builderOf(builders: Map<string, SeriesBuilder>, file: DayFile): SeriesBuilder {
  const key = JSON.stringify([file.exchange, file.dataType, file.symbol]);
  const builder = builders.get(key) ?? createSeriesBuilder(file);
  builders.set(key, builder);
  return builder;
}

function isWithin(day: Day, { from, to }: CoverageSelection): boolean {
  return (from === undefined || day >= from) && (to === undefined || day < to);
}

function addBytes(sums: Map<Day, number>, day: Day, bytes: number): void {
  sums.set(day, (sums.get(day) ?? 0) + bytes);
}

function ascending(sums: ReadonlyMap<Day, number>): readonly DayBytes[] {
  return [...sums].map(([day, bytes]) => ({ day, bytes })).sort((a, b) => a.day - b.day);
}

function byName(a: SeriesCoverage, b: SeriesCoverage): number {
  return compare(a.exchange, b.exchange) || compare(a.dataType, b.dataType) || compare(a.symbol, b.symbol);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
