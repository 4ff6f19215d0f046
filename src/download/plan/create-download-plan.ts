import type { Day } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { SelectedDays } from '../../day-files/day-selection.js';
import { describeColumnKeys, type Layout, olderLayoutOf, parseLayout } from '../../day-files/layout.js';
import { createShardTest } from '../../day-files/shard.js';
import type { CanRequest } from '../../service/key-coverage.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { Destination, FileLookup } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { DownloadSettings, PlannedFile, RequestedSelection, Selection } from '../download-options.js';
import {
  createDiskLookup,
  createOlderPathFinder,
  isAnyRecorded,
  lookUpPaths,
  reportOlderKeys,
  SKIP,
} from './disk-state.js';
import { planPrefixes } from './plan-prefixes.js';
import {
  assertDistinctDays,
  assertDistinctPaths,
  conversionWarnings,
  createOutputPlanner,
  type PlanOutputs,
} from './planned-paths.js';
import {
  filterSeriesInRange,
  isStillListed,
  readExportedUntil,
  resolveSelection,
  type Series,
  selectRange,
  selectSeries,
} from './select-series.js';
import { createSizeEstimator, type EstimateSize } from './size-estimator.js';

export interface DownloadPlanSource {
  readonly selection: RequestedSelection;
  readonly record: ExchangeRecord;
  readonly manifest: Manifest;
  readonly destination: Pick<Destination, 'openLookup'> & Partial<Pick<Destination, 'name'>>;
  readonly options: DownloadSettings;
  /** Receives a warning if a pass finds files under the older keys of `hive`. */
  readonly warn?: ((message: string) => void) | undefined;
  /** Whether the API key gives access to a day file. */
  readonly mayRead: CanRequest;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A selection planned against an exchange's record. Day files are not stored: each pass generates them again.
 */
export interface DownloadPlan {
  /** With the symbols of lists. */
  readonly selection: Selection;
  /** Options of the plan, and of the download of its files. */
  readonly options: DownloadSettings;
  readonly exchange: string;
  /** The first day that is not exported yet. */
  readonly exportedUntil: Day;
  /** The symbols of the selection that are still listed. */
  readonly listed: ReadonlySet<string>;
  readonly series: readonly Series[];
  readonly range: SelectedDays;
  readonly layout: Layout;
  /** Warnings to print before the run: keys of the layout, and data types to which `--as` does not apply. */
  readonly warnings: readonly string[];
  /**
   * The day files. The last and the first day of the range come first, so that missing access shows after two requests;
   * then series by series (symbol by symbol, type by type) and day by day, an order that `sizeOf` needs, since it caches the
   * size of one series. Existing files are looked up during the pass, except complete ones that an earlier pass found.
   */
  files(): Generator<PlannedFile>;
  /** The same files, series by series and day by day, grouped by data type. */
  filesInPathOrder(): Generator<PlannedFile>;
  readonly sizeOf: EstimateSize;
}

/** @throws usage error for a selection that the record does not have; errors of the destination. */
export async function createDownloadPlan(input: DownloadPlanSource): Promise<DownloadPlan> {
  const { record, options } = input;
  const selection = resolveSelection(input.selection, record);
  const { convert } = options;
  const layout = parseLayout(selection.layout);
  const selected = selectSeries(selection, record);
  // selectSeries rejects a record without datasets.
  const datasets = record.datasets as NonNullable<typeof record.datasets>;
  const exportedUntil = readExportedUntil(datasets);
  const range = startWithSeries(selection, selectRange(selection, datasets), selected);
  const series = filterSeriesInRange(selected, range);
  const planOutputs = createOutputPlanner(convert);
  assertDistinctPaths(series, layout, planOutputs, { exchange: record.id, day: range.from });
  if (typeof selection.layout === 'function') assertDistinctDays(series, layout, record.id, range);
  const listPrefixes = (): readonly string[] => {
    const prefixes = planPrefixes(record.id, series, range, layout, convert);
    const older = olderLayoutOf(layout);
    if (!older || !isAnyRecorded(input.manifest, older, listDayFiles(record.id, series, range)))
      return prefixes;
    return [...prefixes, ...planPrefixes(record.id, series, range, older, convert)];
  };
  const lookup = await input.destination.openLookup(listPrefixes, input.signal);
  const skipped = createSkipMemory();
  const sizeOf = createSizeEstimator(input.manifest.history, record);
  return {
    selection,
    options,
    exchange: record.id,
    exportedUntil,
    listed: new Set(selected.filter(isStillListed).map(({ symbol }) => symbol)),
    series,
    range,
    layout,
    warnings: [
      ...describeColumnKeys(layout),
      ...conversionWarnings(
        convert,
        series.map(({ dataType }) => dataType),
      ),
    ],
    files: () => planFiles(input, lookup, layout, planOutputs, series, range, exportedUntil, skipped),
    filesInPathOrder: () =>
      planFiles(input, lookup, layout, planOutputs, groupByDataType(series), range, exportedUntil, undefined),
    sizeOf,
  };
}

/** Free days without a start begin with the first series, not with the exchange. */
function startWithSeries(
  { from, date, last }: Selection,
  range: SelectedDays,
  series: readonly Series[],
): SelectedDays {
  if (from ?? date ?? last) return range;
  const first = series.reduce((day, entry) => Math.min(day, entry.first), range.to as number);
  return { ...range, from: Math.max(range.from, first) as Day };
}

/** Groups series by data type, in the order of first appearance; the order of symbols is kept. */
function groupByDataType(series: readonly Series[]): readonly Series[] {
  const groups = new Map<string, Series[]>();
  for (const entry of series) {
    const group = groups.get(entry.dataType);
    if (group) group.push(entry);
    else groups.set(entry.dataType, [entry]);
  }
  return [...groups.values()].flat();
}

/** Exported days whose files may have come too early, without the rows that a later request returns. */
const RECENT_DAYS = 7;

/** The part of a plan needed to download its files; without sizes there is no estimate. */
export type CountedPlan = Pick<DownloadPlan, 'files' | 'options'> & Partial<Pick<DownloadPlan, 'sizeOf'>>;

// Without spread, which takes five times as long; there may be a million files.
function createDayFile(exchange: string, { dataType, symbol }: Series, day: Day): DayFile {
  return { exchange, dataType, symbol, day };
}

function* listDayFiles(
  exchange: string,
  allSeries: readonly Series[],
  { from, to, has }: SelectedDays,
): Generator<DayFile> {
  for (const series of allSeries)
    for (let day = from; day < to; day = (day + 1) as Day)
      if (has(day)) yield createDayFile(exchange, series, day);
}

function* planFiles(
  input: DownloadPlanSource,
  lookup: FileLookup,
  layout: Layout,
  planOutputs: PlanOutputs,
  allSeries: readonly Series[],
  range: SelectedDays,
  exportedUntil: Day,
  /** Memory of the passes with probes first; undefined for a pass in path order. */
  skipped: SkipMemory | undefined,
): Generator<PlannedFile> {
  const exchange = input.record.id;
  const { existing, convert, shard, repeatsEmpty } = input.options;
  const isRecent = (day: Day): boolean => repeatsEmpty === true && day >= exportedUntil - RECENT_DAYS;
  const lookUp = createDiskLookup(lookup, input.manifest, existing, convert, isRecent);
  const findOlderPaths = createOlderPathFinder(input.manifest, layout, planOutputs);

  let index = -1;

  const lookUpOnce: typeof lookUp = (file, paths) => {
    if (skipped?.has(index)) return SKIP;
    const state = lookUp(file, paths);
    if (state === SKIP) skipped?.add(index);
    return state;
  };
  const planFile = (series: Series, file: DayFile): PlannedFile => {
    index++;
    const paths = { path: layout.pathOf(file, 'csv.gz'), outputs: planOutputs(file, layout.pathOf) };
    const mayBeAbsent = file.day === series.doubtful;
    const refusal = classifyRequest(file, series, exportedUntil, input.mayRead);
    if (refusal === 'unavailable') return { file, ...paths, mayBeAbsent, status: refusal, action: 'nothing' };
    // Existing files need neither access nor export.
    const older = findOlderPaths(file, paths);
    const placed = lookUpPaths(file, paths, older, lookUpOnce, () => reportOlderKeys(input));
    const { path, outputs } = placed;
    const state = refusal && placed.state.isEmpty ? SKIP : placed.state;
    if (refusal && state.status !== 'skip')
      return { file, path, outputs, mayBeAbsent, status: refusal, action: 'nothing' };
    const { status, action, replaces } = state;
    // What cannot be requested is kept as it is.
    const { isUnchecked, replacesEmpty } = refusal ? SKIP : state;
    return { file, path, outputs, mayBeAbsent, status, action, replaces, isUnchecked, replacesEmpty };
  };

  const isInShard = createShardTest(shard);
  const isSelected = (file: DayFile): boolean => range.has(file.day) && isInShard(file);
  const mayProbe: CanRequest = (file) => isSelected(file) && input.mayRead(file);
  const probes = skipped && chooseProbes(exchange, allSeries, range, exportedUntil, mayProbe);
  if (probes)
    for (const day of probes.days) yield planFile(probes.series, createDayFile(exchange, probes.series, day));
  for (const series of allSeries) {
    for (let day = range.from; day < range.to; day = (day + 1) as Day) {
      if (!range.has(day)) continue;
      const file = createDayFile(exchange, series, day);
      if (!isInShard(file)) continue;
      if (series !== probes?.series || !probes.days.includes(day)) yield planFile(series, file);
    }
  }
}

/** The files of a plan, by index, that need no work. */
interface SkipMemory {
  has(index: number): boolean;
  add(index: number): void;
}

/**
 * Remembers complete files between the two passes over a plan, so that they are looked up once. One bit per
 * file.
 */
export function createSkipMemory(): SkipMemory {
  let bits = new Uint8Array(1024);
  return {
    has: (index) => ((bits[index >> 3] ?? 0) & (1 << (index & 7))) !== 0,
    add(index) {
      const byteIndex = index >> 3;
      if (byteIndex >= bits.length) {
        const grown = new Uint8Array(Math.max(byteIndex + 1, bits.length * 2));
        grown.set(bits);
        bits = grown;
      }
      bits[byteIndex] = (bits[byteIndex] ?? 0) | (1 << (index & 7));
    },
  };
}

/** Why a day file is not requested; undefined if it is. */
function classifyRequest(
  file: DayFile,
  series: Series,
  exportedUntil: Day,
  mayRead: CanRequest,
): 'unavailable' | 'pending' | 'unauthorized' | undefined {
  if (file.day < series.first || file.day >= series.until) return 'unavailable';
  if (file.day >= exportedUntil) return 'pending';
  return mayRead(file) ? undefined : 'unauthorized';
}

/** The last and the first day that can be requested, of the first series with such days. */
function chooseProbes(
  exchange: string,
  allSeries: readonly Series[],
  range: SelectedDays,
  exportedUntil: Day,
  mayRead: CanRequest,
): { series: Series; days: readonly Day[] } | undefined {
  for (const series of allSeries) {
    const first = Math.max(range.from, series.first);
    const until = Math.min(range.to, series.until, exportedUntil);
    const days: Day[] = [];
    const canProbe = (day: number): boolean => {
      const file = { exchange, dataType: series.dataType, symbol: series.symbol, day: day as Day };
      return classifyRequest(file, series, exportedUntil, mayRead) === undefined;
    };
    for (let day = until - 1; day >= first && days.length === 0; day--) {
      if (canProbe(day)) days.push(day as Day);
    }
    for (let day = first; day < until && days.length === 1; day++) {
      if (day === days[0]) break;
      if (canProbe(day)) days.push(day as Day);
    }
    if (days.length > 0) return { series, days };
  }
  return undefined;
}
