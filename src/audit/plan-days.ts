import type { TickhaulError } from '../base/errors.js';
import { compareTexts } from '../base/text.js';
import type { Day } from '../day-files/day.js';
import { compareSeries, type DayFile } from '../day-files/day-file.js';
import { type DayFileFilter, type DayFileSelection, openDayFileFilter } from '../day-files/series-filter.js';
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
  /**
   * @param days number of judged days. @throws TickhaulError `unavailable` if there is none although the selection is of
   * the whole folder: it has no file of the days, and the series do not have them.
   */
  assertAnyDay(days: number): void;
}

/**
 * Plans the days of an audit: all selected files, and the days without a file of the series in folders.
 * @throws TickhaulError as `DayFileFilter.assertMatched`, unless files that are not identified may match; errors of
 * `openDayFileFilter`.
 */
export async function planDays(
  sources: readonly AuditSource[],
  selection: DayFileSelection,
): Promise<AuditPlan> {
  const filter = await openDayFileFilter(selection, () => sources.flatMap(({ file }) => file ?? []));
  const { isInShard } = filter;
  const ofSeries: AuditSource[] = [];
  const ofDays: AuditSource[] = [];
  for (const source of sources) {
    if (source.file === undefined || !filter.hasSeries(source.file)) continue;
    ofSeries.push(source);
    if (filter.daysOf(source.file.exchange).has(source.file.day)) ofDays.push(source);
  }
  const unidentified = sources.filter(({ file }) => file === undefined);
  const absent = listAbsentDays(ofSeries, filter);
  // A file without a name may have any of the selected names.
  if (unidentified.length === 0) filter.assertMatched(ofDays.length + absent.length);
  const days = [...ofDays, ...absent].sort(comparePlanned);
  return {
    days: [...days.filter(({ file }) => isInShard(file)), ...unidentified.filter(() => isInShard(undefined))],
    series: ofSeries.flatMap(({ file }) => file ?? []),
    isSelected: (file) => (file === undefined ? !filter.isSelective : filter.hasDay(file)),
    assertAnyDay(days) {
      if (unidentified.length === 0 && selection.shard === undefined) filter.assertMatched(days);
    },
  };
}

/** The days without a file of each series in a folder, from the first to the last day that is there or selected. */
function listAbsentDays(
  sources: readonly AuditSource[],
  { daysOf }: Pick<DayFileFilter, 'daysOf'>,
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
    const extent = findExtent(days);
    const { from, to, has } = daysOf(file.exchange);
    const first = Number.isFinite(from) ? from : extent.first;
    const end = Number.isFinite(to) ? to : extent.last + 1;
    const absent: PlannedDay[] = [];
    for (let day = first; day < end; day++)
      if (!days.has(day as Day) && has(day as Day))
        absent.push({ path: undefined, file: { ...file, day: day as Day } });
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
  return compareSeries(x, y) || x.day - y.day || compareTexts(a.path ?? '', b.path ?? '');
}
