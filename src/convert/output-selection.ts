import { type ComputedType, parseComputedTypeName } from '../market/names/data-type-name.js';

/** What is to be made of day files: their rows as they are, computed types, or both. */
export interface OutputSelection {
  readonly rows: boolean;
  readonly computed: readonly ComputedType[];
}

export const ROWS_ONLY: OutputSelection = { rows: true, computed: [] };

/** The word that stands for the plain conversion among the names of `--as`. */
export const ROWS_WORD = 'rows';

/**
 * The names of `--as` (contract, Computed types of day files); each counts once.
 * @throws usage error for a name that is no computed type, with the nearest.
 */
export function parseOutputSelection(names: readonly string[]): OutputSelection {
  const distinct = new Set(names);
  const rows = distinct.delete(ROWS_WORD);
  return { rows, computed: [...distinct].map((name) => parseComputedTypeName(name, [ROWS_WORD])) };
}

/** What is made of the files of a data type; undefined among it stands for their rows. */
export function outputsForDataType(
  { rows, computed }: OutputSelection,
  dataType: string,
): readonly (ComputedType | undefined)[] {
  const types = computed.filter(({ dayFiles }) => dayFiles === dataType);
  return rows ? [undefined, ...types] : types;
}

/** What the computed types are made of, as a message says it. */
export function describeRequiredTypes({ computed }: OutputSelection): string {
  const needs = new Map(computed.map(({ name, dayFiles }) => [dayFiles, name]));
  return [...needs].map(([dayFiles, name]) => `${name} is made of ${dayFiles}`).join(', ');
}

/**
 * What is to be said of day files of these data types before anything is made of them: those that nothing is made of,
 * and names that none of them gives.
 */
export function findMismatches(wanted: OutputSelection, dataTypes: Iterable<string>): readonly string[] {
  const known = new Set(dataTypes);
  const passedOver = [...known].filter((dataType) => outputsForDataType(wanted, dataType).length === 0);
  const idle = wanted.computed.filter(({ dayFiles }) => !known.has(dayFiles));
  return [
    ...(passedOver.length > 0
      ? [`passed over: files of ${passedOver.join(', ')}: ${describeRequiredTypes(wanted)}`]
      : []),
    ...idle.map(
      ({ name, dayFiles }) => `${name}: it is made of ${dayFiles}, and none of those are asked for`,
    ),
  ];
}
