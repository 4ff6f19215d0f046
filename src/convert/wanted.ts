import { type ComputedType, parseComputedTypeName } from '../market/names/data-type-name.js';

/** What is to be made of day files: their rows as they are, computed types, or both. */
export interface Wanted {
  readonly rows: boolean;
  readonly computed: readonly ComputedType[];
}

export const ROWS: Wanted = { rows: true, computed: [] };

/** The word that stands for the plain conversion among the names of `--as`. */
const ROWS_WORD = 'rows';

/**
 * The names of `--as` (contract, Computed types of day files); each counts once.
 * @throws usage error for a name that is no computed type, with the nearest.
 */
export function parseWanted(names: readonly string[]): Wanted {
  const distinct = new Set(names);
  const rows = distinct.delete(ROWS_WORD);
  return { rows, computed: [...distinct].map(parseComputedTypeName) };
}
