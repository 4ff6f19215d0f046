import {
  type BarRules,
  barRulesOf,
  type ComputedType,
  isTimeBar,
  parseComputedTypeName,
  withBarRules,
} from '../market/message-type-name.js';

/** The requested outputs of day files: rows, computed types, or both. */
export interface OutputSelection {
  readonly rows: boolean;
  readonly computed: readonly ComputedType[];
}

export const ROWS_ONLY: OutputSelection = { rows: true, computed: [] };

/** The name that selects the rows among the names of `--as`. */
export const ROWS_WORD = 'rows';

/**
 * Parses the names of `--as` and drops duplicates (docs/spec/computed-data.md#day-files).
 * @param rules rules of the time bars.
 * @throws TickhaulError `usage` for an unknown name, with the nearest known name.
 */
export function parseOutputSelection(names: readonly string[], rules: BarRules = {}): OutputSelection {
  const distinct = new Set(names);
  const rows = distinct.delete(ROWS_WORD);
  const types = [...distinct].map((name) => parseComputedTypeName(name, [ROWS_WORD]));
  const byName = new Map(types.map((type) => [type.name, withBarRules(type, rules)]));
  return { rows, computed: [...byName.values()] };
}

/** The rules of a selection's time bars. */
export function selectedBarRules({ computed }: OutputSelection): BarRules {
  return barRulesOf(computed.find(isTimeBar));
}

/** The outputs for files of a data type; undefined stands for their rows. */
export function outputsForDataType(
  { rows, computed }: OutputSelection,
  dataType: string,
): readonly (ComputedType | undefined)[] {
  const types = computed.filter(({ dayFileType }) => dayFileType === dataType);
  return rows ? [undefined, ...types] : types;
}

/** Lists, for messages, the data type from which each computed type is computed. */
export function describeRequiredTypes({ computed }: OutputSelection): string {
  const needs = new Map(computed.map(({ name, dayFileType }) => [dayFileType, name]));
  return [...needs].map(([dayFileType, name]) => `${name} is computed from ${dayFileType}`).join(', ');
}

/**
 * Warnings about data types without a selected output, and about computed types without a data type in the
 * selection.
 */
export function findMismatches(selection: OutputSelection, dataTypes: Iterable<string>): readonly string[] {
  const known = new Set(dataTypes);
  const skipped = [...known].filter((dataType) => outputsForDataType(selection, dataType).length === 0);
  const unmatched = selection.computed.filter(({ dayFileType }) => !known.has(dayFileType));
  return [
    ...(skipped.length > 0
      ? [`skipping files of ${skipped.join(', ')}: ${describeRequiredTypes(selection)}`]
      : []),
    ...unmatched.map(
      ({ name, dayFileType }) => `${name}: is computed from ${dayFileType}, which are not selected`,
    ),
  ];
}
