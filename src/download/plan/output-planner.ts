import { findMismatches, outputsForDataType, ROWS_ONLY } from '../../convert/output-selection.js';
import type { DayFile } from '../../dataset/day-file.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { ComputedType } from '../../market/names/message-type-name.js';
import type { ConvertSetting, PlannedOutput } from '../download-options.js';

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
