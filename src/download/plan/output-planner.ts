import { findMismatches, outputsForDataType, ROWS_ONLY } from '../../convert/output-selection.js';
import type { DayFile } from '../../dataset/day-file.js';
import { outputExtension } from '../../format/convert-options.js';
import type { ComputedType } from '../../market/names/data-type-name.js';
import type { ConvertSetting, PlannedOutput } from '../download-options.js';

/**
 * Gives what is made of a day file, and where it goes: a computed type has its name in the place of the data type.
 * @param pathOf where a file goes whose name ends in `extension`, without the first dot.
 */
export type PlanOutputs = (
  file: DayFile,
  pathOf: (file: DayFile, extension: string) => string,
) => readonly PlannedOutput[];

const NO_OUTPUTS: readonly PlannedOutput[] = [];

/** @param convert undefined where nothing is made. */
export function createOutputPlanner(convert: ConvertSetting | undefined): PlanOutputs {
  if (!convert) return () => NO_OUTPUTS;
  const { options, outputSelection = ROWS_ONLY } = convert;
  const extension = outputExtension(options);
  const known = new Map<string, readonly (ComputedType | undefined)[]>();
  const typesOf = (dataType: string): readonly (ComputedType | undefined)[] => {
    const types = known.get(dataType) ?? outputsForDataType(outputSelection, dataType);
    known.set(dataType, types);
    return types;
  };
  return (file, pathOf) =>
    typesOf(file.dataType).map((type) => ({
      path: pathOf(type ? { ...file, dataType: type.name } : file, extension),
      type,
    }));
}

/** What is to be said of files of these data types before they are brought. */
export function conversionWarnings(
  convert: ConvertSetting | undefined,
  dataTypes: readonly string[],
): readonly string[] {
  return convert?.outputSelection && dataTypes.length > 0
    ? findMismatches(convert.outputSelection, dataTypes)
    : [];
}
