import { type Day, isFirstOfMonth } from '../dataset/day.js';
import { isPlainName, type Layout, parseLayout } from '../dataset/layout.js';
import { usageError } from '../errors.js';
import type { PlanCounts, PlanStatus } from '../events.js';
import type { ExchangeRecord } from '../service/metadata.js';
import type { Manifest } from '../store/manifest.js';
import { createDiskLookup } from './disk-state.js';
import {
  exportedUntilOf,
  type SelectedRange,
  type Series,
  selectRange,
  selectSeries,
  seriesInRange,
} from './select.js';
import type { Existing, PlannedFile, Selection } from './types.js';

export interface PlanInput {
  readonly selection: Selection;
  readonly record: ExchangeRecord;
  readonly manifest: Manifest;
  /** Download folder. */
  readonly dir: string;
  readonly existing: Existing;
  readonly hasKey: boolean;
}

/** A selection worked out against an exchange's record. Nothing is held per day file: each pass makes them anew. */
export interface Plan {
  readonly exchange: string;
  /** The first day that isn't exported yet. */
  readonly exportedUntil: Day;
  /**
   * The day files, the last and the first day of the range before the rest, so that missing access shows after
   * two requests; then symbol by symbol, type by type, day by day. What stands on disk is looked up as it goes.
   */
  files(): Generator<PlannedFile>;
}

/** @throws usage error for anything in the selection that the record doesn't know. */
export function makePlan(input: PlanInput): Plan {
  const { record, selection } = input;
  const layout = parseLayout(selection.layout);
  const selected = selectSeries(selection, record);
  // selectSeries refuses a record without datasets.
  const exportedUntil = exportedUntilOf(record.datasets as NonNullable<typeof record.datasets>);
  const range = selectRange(selection, exportedUntil);
  const series = seriesInRange(selected, range);
  assertDistinctPaths(series, layout, record.id, range.from);
  return {
    exchange: record.id,
    exportedUntil,
    files: () => planFiles(input, layout, series, range, exportedUntil),
  };
}

export function emptyCounts(): Record<PlanStatus | 'files', number> {
  return { files: 0, download: 0, skip: 0, resume: 0, pending: 0, unavailable: 0, unauthorized: 0 };
}

/** Counts a plan, giving way to other work now and then: a plan may have millions of files. */
export async function countPlan(files: Iterable<PlannedFile>, signal?: AbortSignal): Promise<PlanCounts> {
  const counts = emptyCounts();
  for (const { status } of files) {
    counts[status]++;
    if (++counts.files % 2048 === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    }
  }
  return counts;
}

function* planFiles(
  input: PlanInput,
  layout: Layout,
  allSeries: readonly Series[],
  range: SelectedRange,
  exportedUntil: Day,
): Generator<PlannedFile> {
  const exchange = input.record.id;
  const stateOf = createDiskLookup(input.dir, input.manifest, input.existing);

  const planOne = (series: Series, day: Day): PlannedFile => {
    const file = { exchange, dataType: series.dataType, symbol: series.symbol, day };
    const path = layout.pathOf(file, 'csv.gz');
    const mayBeAbsent = day === series.doubtful;
    const refusal = refusalOf(series, day, exportedUntil, input.hasKey);
    if (!refusal) return { file, path, mayBeAbsent, ...stateOf(file, path) };
    // What is on disk already needs neither a key nor an export.
    const onDisk = refusal === 'unavailable' ? undefined : stateOf(file, path);
    if (onDisk?.status === 'skip') return { file, path, mayBeAbsent, ...onDisk };
    return { file, path, mayBeAbsent, status: refusal, action: 'nothing' };
  };

  const probed = probes(allSeries, range, exportedUntil, input.hasKey);
  if (probed) for (const day of probed.days) yield planOne(probed.series, day);
  for (const series of allSeries) {
    for (let day = range.from; day < range.to; day = (day + 1) as Day) {
      if (series !== probed?.series || !probed.days.includes(day)) yield planOne(series, day);
    }
  }
}

function refusalOf(
  series: Series,
  day: Day,
  exportedUntil: Day,
  hasKey: boolean,
): 'unavailable' | 'pending' | 'unauthorized' | undefined {
  if (day < series.first || day >= series.until) return 'unavailable';
  if (day >= exportedUntil) return 'pending';
  return hasKey || isFirstOfMonth(day) ? undefined : 'unauthorized';
}

/** The last and the first day that can be asked for of the first series that has any. */
function probes(
  allSeries: readonly Series[],
  range: SelectedRange,
  exportedUntil: Day,
  hasKey: boolean,
): { series: Series; days: readonly Day[] } | undefined {
  for (const series of allSeries) {
    const first = Math.max(range.from, series.first);
    const until = Math.min(range.to, series.until, exportedUntil);
    const days: Day[] = [];
    for (let day = until - 1; day >= first && days.length === 0; day--) {
      if (!refusalOf(series, day as Day, exportedUntil, hasKey)) days.push(day as Day);
    }
    for (let day = first; day < until && days.length === 1; day++) {
      if (day === days[0]) break;
      if (!refusalOf(series, day as Day, exportedUntil, hasKey)) days.push(day as Day);
    }
    if (days.length > 0) return { series, days };
  }
  return undefined;
}

/** Two symbols may differ only in a character that no file name can have, or a template may run names together. */
function assertDistinctPaths(allSeries: readonly Series[], layout: Layout, exchange: string, day: Day): void {
  if (layout.isDistinct && allSeries.every(({ symbol }) => isPlainName(symbol))) return;
  const owners = new Map<string, Series>();
  for (const series of allSeries) {
    const path = layout.pathOf({ exchange, day, dataType: series.dataType, symbol: series.symbol }, 'csv.gz');
    const other = owners.get(path);
    if (other) {
      throw usageError(
        `${other.dataType} ${other.symbol} and ${series.dataType} ${series.symbol} would share the name ${path}: choose another --layout, or download them into folders of their own`,
      );
    }
    owners.set(path, series);
  }
}
