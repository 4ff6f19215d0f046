import { usageError } from '../../base/errors.js';
import { findMismatches, outputsForDataType, ROWS_ONLY } from '../../convert/output-selection.js';
import { type Day, formatDay } from '../../day-files/day.js';
import { type DayFile, isSafeFileName } from '../../day-files/day-file.js';
import type { SelectedDays } from '../../day-files/day-selection.js';
import type { Layout } from '../../day-files/layout.js';
import type { FileEvent } from '../../events/run-events.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { ComputedType } from '../../market/message-type-name.js';
import type { ConvertSetting, PlannedOutput } from '../download-options.js';
import type { Series } from './select-series.js';

/**
 * Returns the conversions of a day file with their paths, in which a computed type replaces the data type.
 * @param pathOf returns the path of a file whose name ends in `extension`, without the first dot.
 */
export type PlanOutputs = (
  file: DayFile,
  pathOf: (file: DayFile, extension: string) => string,
) => readonly PlannedOutput[];

const NO_OUTPUTS: readonly PlannedOutput[] = [];

/** @param convert undefined if nothing is converted. */
export function createOutputPlanner(convert: ConvertSetting | undefined): PlanOutputs {
  if (!convert) return () => NO_OUTPUTS;
  const { options, outputSelection = ROWS_ONLY } = convert;
  const extension = OUTPUT_FORMATS[options.format].extension(options.compression);
  const typesByDataType = new Map<string, readonly (ComputedType | undefined)[]>();
  const findTypes = (dataType: string): readonly (ComputedType | undefined)[] => {
    const types = typesByDataType.get(dataType) ?? outputsForDataType(outputSelection, dataType);
    typesByDataType.set(dataType, types);
    return types;
  };
  return (file, pathOf) =>
    findTypes(file.dataType).map((type) => ({
      path: pathOf(type ? { ...file, dataType: type.name } : file, extension),
      type,
    }));
}

/** Warnings about data types to which the selected outputs do not apply. */
export function conversionWarnings(
  convert: ConvertSetting | undefined,
  dataTypes: readonly string[],
): readonly string[] {
  return convert?.outputSelection && dataTypes.length > 0
    ? findMismatches(convert.outputSelection, dataTypes)
    : [];
}

/** The outputs in the event of a day file. @param convert undefined if nothing is converted. */
export function reportedOutputs(
  outputs: readonly PlannedOutput[],
  convert: Pick<ConvertSetting, 'outputSelection'> | undefined,
): Pick<FileEvent, 'output' | 'outputs'> {
  const [first] = outputs;
  if (!first) return {};
  return convert?.outputSelection ? { outputs: outputs.map(({ path }) => path) } : { output: first.path };
}

/**
 * Checks that series have distinct paths: symbols may differ only in characters that file names cannot have, and a
 * template may join names ambiguously.
 * @param any exchange and day of the files.
 * @throws usage error if two day files or conversions would have the same path.
 */
export function assertDistinctPaths(
  allSeries: readonly Series[],
  layout: Layout,
  planOutputs: PlanOutputs,
  any: Pick<DayFile, 'exchange' | 'day'>,
): void {
  if (layout.isDistinct && allSeries.every(({ symbol }) => isSafeFileName(symbol))) return;
  const owners = new Map<string, Series>();
  for (const series of allSeries) {
    const file = { ...any, dataType: series.dataType, symbol: series.symbol };
    const outputs = planOutputs(file, layout.pathOf).map((output) => output.path);
    for (const path of [layout.pathOf(file, 'csv.gz'), ...outputs]) {
      const other = owners.get(path);
      if (other) {
        throw usageError(
          `${other.dataType} ${other.symbol} and ${series.dataType} ${series.symbol} would share the name ${path}: choose another --layout, or download them into separate folders`,
        );
      }
      owners.set(path, series);
    }
  }
}

/**
 * Checks that a layout function gives each day a distinct path, as templates do. One series is enough.
 * @throws usage error.
 */
export function assertDistinctDays(
  [series]: readonly Series[],
  layout: Layout,
  exchange: string,
  range: SelectedDays,
): void {
  if (!series) return;
  const { dataType, symbol } = series;
  const days = new Map<string, Day>();
  for (let day = range.from; day < range.to; day = (day + 1) as Day) {
    if (!range.has(day)) continue;
    const path = layout.pathOf({ exchange, dataType, symbol, day }, 'csv.gz');
    const other = days.get(path);
    if (other !== undefined) {
      throw usageError(
        `--layout: the function names ${path} for ${formatDay(other)} and for ${formatDay(day)} of ${symbol}; each day needs a distinct name`,
      );
    }
    days.set(path, day);
  }
}
