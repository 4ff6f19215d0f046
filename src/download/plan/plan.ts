import { nextTurn } from '../../base/wait.js';
import type { Day } from '../../dataset/day.js';
import type { DayFile } from '../../dataset/day-file.js';
import { type Layout, parseLayout } from '../../dataset/layout.js';
import { inShard, type Shard } from '../../dataset/shard.js';
import { parseWeekdays } from '../../dataset/weekdays.js';
import type { PlanCounts, PlanStatus } from '../../run/events.js';
import type { MayRead } from '../../service/key/key-coverage.js';
import type { ExchangeRecord } from '../../service/records/metadata.js';
import type { Destination, Survey } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import { createSizes, type SizeOf } from '../estimate/sizes.js';
import { addToVolume, emptyVolume, type Volume } from '../estimate/volume.js';
import type { ConvertSetting, Existing, PlannedFile, Selection } from '../types.js';
import { createDiskLookup, SKIP } from './disk-state.js';
import { assertDistinctDays } from './distinct-days.js';
import { assertDistinctPaths } from './distinct-paths.js';
import { mostBytes } from './most-bytes.js';
import { createOutputs, type OutputsOf, warningsOf } from './outputs.js';
import { probes, refusalOf } from './probes.js';
import {
  exportedUntilOf,
  isListed,
  type SelectedRange,
  type Series,
  selectRange,
  selectSeries,
  seriesInRange,
} from './select.js';
import { createSkipMemory, type SkipMemory } from './skip-memory.js';
import { prefixesOfPlan } from './survey.js';

export interface PlanInput {
  readonly selection: Selection;
  readonly record: ExchangeRecord;
  readonly manifest: Manifest;
  readonly destination: Pick<Destination, 'survey'>;
  readonly existing: Existing;
  readonly convert?: ConvertSetting | undefined;
  /** Which part of the day files is meant; undefined for all. */
  readonly shard?: Shard | undefined;
  /** Whether the service will serve a day file to who asks. */
  readonly mayRead: MayRead;
  readonly signal?: AbortSignal | undefined;
}

/** A selection worked out against an exchange's record. Nothing is held per day file: each pass makes them anew. */
export interface Plan {
  readonly exchange: string;
  /** The first day that isn't exported yet. */
  readonly exportedUntil: Day;
  /** The symbols of the selection that have not ended. */
  readonly listed: ReadonlySet<string>;
  readonly series: readonly Series[];
  readonly range: SelectedRange;
  readonly layout: Layout;
  /** What is to be said of it beforehand: files that nothing is made of, though `--as` names something. */
  readonly warnings: readonly string[];
  /**
   * The day files, the last and the first day of the range before the rest, so that missing access shows after
   * two requests; then series by series (symbol by symbol, type by type) and day by day, which `sizeOf` relies on: it
   * remembers the size of one series. What stands on disk is looked up as it goes, save what an earlier pass found to
   * be whole.
   */
  files(): Generator<PlannedFile>;
  /** The same, series by series and day by day, those of one data type together. */
  inOrder(): Generator<PlannedFile>;
  readonly sizeOf: SizeOf;
  /** A bound of what is to come, which is known without a walk over the files. */
  mostBytes(): number;
}

/** @throws usage error for anything in the selection that the record doesn't know; what looking at the destination throws. */
export async function makePlan(input: PlanInput): Promise<Plan> {
  const { record, selection } = input;
  const layout = parseLayout(selection.layout);
  const selected = selectSeries(selection, record);
  // selectSeries refuses a record without datasets.
  const exportedUntil = exportedUntilOf(record.datasets as NonNullable<typeof record.datasets>);
  const range = selectRange(selection, exportedUntil);
  const series = seriesInRange(selected, range);
  const outputsOf = createOutputs(input.convert);
  assertDistinctPaths(series, layout, outputsOf, { exchange: record.id, day: range.from });
  if (typeof selection.layout === 'function') assertDistinctDays(series, layout, record.id, range);
  const prefixesOf = (): readonly string[] => prefixesOfPlan(record.id, series, range, layout, input.convert);
  const survey = await input.destination.survey(prefixesOf, input.signal);
  const skipped = createSkipMemory();
  const sizeOf = createSizes(input.manifest.history, record);
  return {
    exchange: record.id,
    exportedUntil,
    listed: new Set(selected.filter(isListed).map(({ symbol }) => symbol)),
    series,
    range,
    layout,
    warnings: warningsOf(
      input.convert,
      series.map(({ dataType }) => dataType),
    ),
    files: () => planFiles(input, survey, layout, outputsOf, series, range, exportedUntil, skipped),
    inOrder: () =>
      planFiles(input, survey, layout, outputsOf, byDataType(series), range, exportedUntil, undefined),
    sizeOf,
    mostBytes: () => mostBytes(record.id, series, range, exportedUntil, sizeOf),
  };
}

/** Data types in the order of their first appearance; the order of symbols stays. */
function byDataType(series: readonly Series[]): readonly Series[] {
  const groups = new Map<string, Series[]>();
  for (const one of series) {
    const group = groups.get(one.dataType);
    if (group) group.push(one);
    else groups.set(one.dataType, [one]);
  }
  return [...groups.values()].flat();
}

export function emptyCounts(): Record<PlanStatus | 'files', number> {
  return { files: 0, download: 0, skip: 0, resume: 0, pending: 0, unavailable: 0, unauthorized: 0 };
}

/** A walk over a plan gives way to other work after so many files. */
export const FILES_A_TURN = 2048;

/** How many files a plan has, and what those come to that are to be fetched. */
export interface PlanTotals {
  readonly counts: PlanCounts;
  readonly volume: Volume;
}

/** Totals that are still being added up. */
interface OpenTotals {
  readonly counts: ReturnType<typeof emptyCounts>;
  readonly volume: Volume;
}

export function emptyTotals(): OpenTotals {
  return { counts: emptyCounts(), volume: emptyVolume() };
}

/** Passes the files of a plan on, and counts them. */
export function* totalled(
  { sizeOf }: Pick<CountedPlan, 'sizeOf'>,
  files: Iterable<PlannedFile>,
  { counts, volume }: OpenTotals,
): Generator<PlannedFile> {
  for (const file of files) {
    counts.files++;
    counts[file.status]++;
    addToVolume(volume, file, sizeOf);
    yield file;
  }
}

/** Counts a plan, giving way to other work now and then: a plan may have millions of files. */
export async function countPlan(plan: CountedPlan, signal?: AbortSignal): Promise<PlanTotals> {
  const totals = emptyTotals();
  for (const _ of totalled(plan, plan.files(), totals)) {
    if (totals.counts.files % FILES_A_TURN === 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
  }
  return totals;
}

/** What of a plan is needed to bring its files; without sizes, nothing is known of what they come to. */
export type CountedPlan = Pick<Plan, 'files'> & Partial<Pick<Plan, 'sizeOf' | 'mostBytes'>>;

function* planFiles(
  input: PlanInput,
  survey: Survey,
  layout: Layout,
  outputsOf: OutputsOf,
  allSeries: readonly Series[],
  range: SelectedRange,
  exportedUntil: Day,
  /** Of the walks with the probes first; undefined for one in order. */
  skipped: SkipMemory | undefined,
): Generator<PlannedFile> {
  const exchange = input.record.id;
  const lookUp = createDiskLookup(survey, input.manifest, input.existing, input.convert);

  let place = -1;

  const stateOf: typeof lookUp = (file, paths) => {
    if (skipped?.has(place)) return SKIP;
    const state = lookUp(file, paths);
    if (state === SKIP) skipped?.add(place);
    return state;
  };
  // Written out, as a spread costs five times as much, and there may be a million.
  const fileOf = ({ dataType, symbol }: Series, day: Day): DayFile => ({ exchange, dataType, symbol, day });
  const planOne = (series: Series, file: DayFile): PlannedFile => {
    place++;
    const path = layout.pathOf(file, 'csv.gz');
    const outputs = outputsOf(file, layout.pathOf);
    const mayBeAbsent = file.day === series.doubtful;
    const refusal = refusalOf(file, series, exportedUntil, input.mayRead);
    // What is on disk already needs neither a key nor an export.
    const onDisk = refusal === 'unavailable' ? undefined : stateOf(file, { path, outputs });
    if (!onDisk || (refusal && onDisk.status !== 'skip')) {
      return { file, path, outputs, mayBeAbsent, status: refusal ?? 'unavailable', action: 'nothing' };
    }
    const { status, action, replaces } = onDisk;
    return { file, path, outputs, mayBeAbsent, status, action, replaces };
  };

  const { weekdays } = input.selection;
  const isWantedDay = weekdays ? parseWeekdays(weekdays) : () => true;
  const isOurs = inShard(input.shard);
  const isWanted = (file: DayFile): boolean => isWantedDay(file.day) && isOurs(file);
  const mayProbe: MayRead = (file) => isWanted(file) && input.mayRead(file);
  const probed = skipped && probes(exchange, allSeries, range, exportedUntil, mayProbe);
  if (probed) for (const day of probed.days) yield planOne(probed.series, fileOf(probed.series, day));
  for (const series of allSeries) {
    for (let day = range.from; day < range.to; day = (day + 1) as Day) {
      const file = fileOf(series, day);
      if (!isWanted(file)) continue;
      if (series !== probed?.series || !probed.days.includes(day)) yield planOne(series, file);
    }
  }
}
