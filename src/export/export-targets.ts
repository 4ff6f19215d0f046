import { usageError } from '../base/errors.js';
import type { Day } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import { dayFileName } from '../day-files/layout.js';
import type { ExportTargetName } from '../options/export-options.js';
import { compareSources, type ExportSetting, type ExportTarget } from './export-target.js';
import { freqtrade } from './freqtrade/freqtrade-target.js';
import { hftbacktest } from './hftbacktest/hftbacktest-target.js';
import { nautilus } from './nautilus/nautilus-target.js';

/** All targets. */
export const EXPORT_TARGETS: Readonly<Record<ExportTargetName, ExportTarget<unknown>>> = {
  hftbacktest,
  nautilus,
  freqtrade,
};

/** Series that a run plans to download. The second of two days is not included. */
interface PlannedSeries {
  readonly exchange: string;
  readonly range: { readonly from: Day; readonly to: Day };
  readonly series: readonly {
    readonly dataType: string;
    readonly symbol: string;
    readonly first: Day;
    readonly until: Day;
  }[];
}

export function readsDataType(target: ExportTargetName, dataType: string): boolean {
  return EXPORT_TARGETS[target].dataTypes.some((known) => known === dataType);
}

/** Checks an export before its day files are downloaded. @throws usage error if its settings contradict them. */
export async function checkExport(
  { target: name, settings }: ExportSetting,
  files: readonly DayFile[],
): Promise<void> {
  const target = EXPORT_TARGETS[name];
  const read = files.filter(({ dataType }) => readsDataType(name, dataType));
  if (files.length > 0 && read.length === 0) {
    const types = new Set(files.map(({ dataType }) => dataType));
    throw usageError(
      `--export ${name}: it reads ${target.dataTypes.join(', ')}, and not ${[...types].join(', ')}; add one of its types with -t, or omit --export`,
    );
  }
  const sources = read.map((file) => ({ path: `${dayFileName(file)}.csv.gz`, file })).sort(compareSources);
  await target.check?.(sources, settings);
}

/** Day files that stand for all of a plan: series that have a day in common also have one here. */
export function listStartDays({ exchange, range, series }: PlannedSeries): readonly DayFile[] {
  const startOf = (first: Day): Day => (first > range.from ? first : range.from);
  const startDays = new Map<string, Set<Day>>();
  for (const { symbol, first } of series)
    startDays.set(symbol, (startDays.get(symbol) ?? new Set()).add(startOf(first)));
  return series.flatMap(({ dataType, symbol, first, until }) =>
    [...(startDays.get(symbol) ?? [])]
      .filter((day) => day >= startOf(first) && day < until && day < range.to)
      .map((day) => ({ exchange, dataType, symbol, day })),
  );
}
