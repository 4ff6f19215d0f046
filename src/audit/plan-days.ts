import type { TickhaulError } from '../base/errors.js';
import type { Day } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import {
  createSeriesFilter,
  isRestrictive,
  type RequestedSeries,
  resolveSeries,
} from '../day-files/series-filter.js';
import { createShardTest, type Shard } from '../day-files/shard.js';
import type { SeriesNames } from '../events/audited-day.js';
import type { StoredFileInfo } from '../store/files.js';

/** A file to audit. */
export interface AuditSource {
  /** A location. */
  readonly path: string;
  /** Undefined if neither its name nor a manifest identifies it. */
  readonly file: DayFile | undefined;
  /** Whether it was found in a folder that the user named, so that the missing days of its series are reported. */
  readonly isInFolder: boolean;
  /** Facts from a listing, if there was one. */
  readonly info?: StoredFileInfo | undefined;
  /** Why it is corrupt, if it was read already. */
  readonly error?: TickhaulError | undefined;
}

/** Which days to audit; undefined for all. */
export interface AuditSelection extends RequestedSeries {
  readonly from?: Day | undefined;
  /** Not included. */
  readonly to?: Day | undefined;
  readonly shard?: Shard | undefined;
}

/** A day of a series: with its file, or without one. */
export type PlannedDay =
  | (AuditSource & { readonly path: string })
  | { readonly path: undefined; readonly file: DayFile };

/** Whether a result of a file that was identified by its content is selected. */
export type IsSelected = (file: DayFile | undefined) => boolean;

export interface AuditPlan {
  /** Sorted by series, day and path; files that are not identified last. */
  readonly days: readonly PlannedDay[];
  /** The series of all selected files, also of those outside of the selected days; each at least once. */
  readonly series: readonly SeriesNames[];
  readonly isSelected: IsSelected;
}

/**
 * Plans the days of an audit: all selected files, and the days without a file of the series in folders.
 * @throws TickhaulError `usage` for a selected name that no file has, with the nearest.
 */
export function planDays(sources: readonly AuditSource[], requested: AuditSelection): AuditPlan {
  const selection = resolveSeries(requested, () => sources.flatMap(({ file }) => file ?? []));
  const filter = createSeriesFilter(selection);
  const isInShard = createShardTest(selection.shard);
  const isInRange = ({ day }: DayFile): boolean =>
    (selection.from === undefined || day >= selection.from) &&
    (selection.to === undefined || day < selection.to);
  const identified = sources.filter((source) => source.file !== undefined && filter.matches(source.file));
  const unidentified = sources.filter(({ file }) => file === undefined);
  // A file without a name may have any of the selected names.
  if (unidentified.length === 0) filter.assertAllMatched();
  const isSelected: IsSelected = (file) =>
    file === undefined
      ? !isRestrictive(selection) && selection.from === undefined && selection.to === undefined
      : filter.matches(file) && isInRange(file);
  const days = [
    ...identified.filter(({ file }) => file && isInRange(file)),
    ...listAbsentDays(identified, selection),
  ].sort(comparePlanned);
  return {
    days: [...days.filter(({ file }) => isInShard(file)), ...unidentified.filter(() => isInShard(undefined))],
    series: identified.flatMap(({ file }) => file ?? []),
    isSelected,
  };
}

/** The days without a file of each series in a folder, from the first to the last day that is there or selected. */
function listAbsentDays(
  sources: readonly AuditSource[],
  { from, to }: Pick<AuditSelection, 'from' | 'to'>,
): readonly PlannedDay[] {
  const series = new Map<string, { readonly file: DayFile; readonly days: Set<Day>; isInFolder: boolean }>();
  for (const { file, isInFolder } of sources) {
    if (!file) continue;
    const key = JSON.stringify([file.exchange, file.dataType, file.symbol]);
    const known = series.get(key) ?? { file, days: new Set<Day>(), isInFolder: false };
    known.days.add(file.day);
    known.isInFolder ||= isInFolder;
    series.set(key, known);
  }
  return [...series.values()].flatMap(({ file, days, isInFolder }) => {
    if (!isInFolder) return [];
    const { first, last } = findExtent(days);
    const absent: PlannedDay[] = [];
    for (let day = from ?? first; day <= (to === undefined ? last : to - 1); day++)
      if (!days.has(day as Day)) absent.push({ path: undefined, file: { ...file, day: day as Day } });
    return absent;
  });
}

/** A loop, since there may be more days than a call has arguments. */
function findExtent(days: Iterable<Day>): { readonly first: Day; readonly last: Day } {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const day of days) {
    first = Math.min(first, day);
    last = Math.max(last, day);
  }
  return { first: first as Day, last: last as Day };
}

function comparePlanned(a: PlannedDay, b: PlannedDay): number {
  const [x, y] = [a.file, b.file];
  if (!x || !y) return 0;
  return (
    compareTexts(x.exchange, y.exchange) ||
    compareTexts(x.dataType, y.dataType) ||
    compareTexts(x.symbol, y.symbol) ||
    x.day - y.day ||
    compareTexts(a.path ?? '', b.path ?? '')
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
