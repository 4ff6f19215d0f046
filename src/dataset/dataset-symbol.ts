/** Types of the instruments in each grouped symbol. */
export const GROUP_TYPES: Readonly<Record<string, string>> = {
  SPOT: 'spot',
  FUTURES: 'future',
  PERPETUALS: 'perpetual',
  OPTIONS: 'option',
};

/**
 * Symbols that repeat the rows of others and are not part of `all`
 * (docs/spec/metadata-api.md#grouped-symbols).
 */
export const GROUPED_SYMBOLS: ReadonlySet<string> = new Set(Object.keys(GROUP_TYPES));

/** Grouped symbols that the record does not have yet, of the other types of instruments. */
const POSSIBLE_GROUPS: ReadonlySet<string> = new Set(['COMBOS', 'PREDICTIONS']);

/** Whether a file of this symbol may have rows of others. */
export function isGroupedSymbol(symbol: string): boolean {
  return GROUPED_SYMBOLS.has(symbol) || POSSIBLE_GROUPS.has(symbol);
}

/** Converts a symbol from user input to a dataset symbol (docs/spec/datasets-api.md#dataset-symbols). */
export function toDatasetSymbol(text: string): string {
  // Normalize to NFC: macOS and some keyboards write é as two characters, but the service has it as one.
  return text.trim().toUpperCase().normalize('NFC').replace(/[/:]/g, '-');
}

/** Whether the text contains the wildcard `*` or `?`. */
export function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}

/** Creates a test for symbols that match a glob: `*` matches any characters, `?` a single one. */
export function createGlobMatcher(glob: string): (symbol: string) => boolean {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.');
  const pattern = new RegExp(`^${source}$`, 'su');
  return (symbol) => pattern.test(symbol);
}
