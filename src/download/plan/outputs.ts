import { madeOf, misfits, ROWS } from '../../convert/wanted.js';
import type { DayFile } from '../../dataset/day-file.js';
import { extensionOf } from '../../format/options.js';
import type { ComputedType } from '../../market/names/data-type-name.js';
import type { ConvertSetting, PlannedOutput } from '../types.js';

/**
 * Gives what is made of a day file, and where it goes: a computed type has its name in the place of the data type.
 * @param pathOf where a file goes whose name ends in `extension`, without the first dot.
 */
export type OutputsOf = (
  file: DayFile,
  pathOf: (file: DayFile, extension: string) => string,
) => readonly PlannedOutput[];

const NOTHING: readonly PlannedOutput[] = [];

/** @param convert undefined where nothing is made. */
export function createOutputs(convert: ConvertSetting | undefined): OutputsOf {
  if (!convert) return () => NOTHING;
  const { options, wanted = ROWS } = convert;
  const extension = extensionOf(options);
  const known = new Map<string, readonly (ComputedType | undefined)[]>();
  const typesOf = (dataType: string): readonly (ComputedType | undefined)[] => {
    const types = known.get(dataType) ?? madeOf(wanted, dataType);
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
export function warningsOf(
  convert: ConvertSetting | undefined,
  dataTypes: readonly string[],
): readonly string[] {
  return convert?.wanted && dataTypes.length > 0 ? misfits(convert.wanted, dataTypes) : [];
}
