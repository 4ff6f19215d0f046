import { usageError } from '../base/errors.js';

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

/**
 * A list of symbols in a file, written `@name`. A symbol of that name takes precedence over the file, so the exchange's
 * record, or the files of a folder, decide which of the two is meant.
 */
interface SymbolList {
  /** As written, with the `@`. */
  readonly name: string;
  /** Symbols and globs of the file; undefined if it cannot be read. */
  readonly symbols: readonly string[] | undefined;
  /** Why the file cannot be read. */
  readonly problem: string | undefined;
}

/** A symbol, a glob or `all`; or a list, if it may also be a symbol. */
export type SymbolChoice = string | SymbolList;

/**
 * Replaces each list by the symbol of its name if it exists, else by the symbols in its file. The name remains if there
 * is neither.
 * @param existing returns all symbols; called only if there is a list.
 */
export function resolveSymbolLists(
  choices: readonly SymbolChoice[],
  existing: () => Iterable<string>,
): readonly string[] {
  return resolve(choices, existing, ({ name }) => [name]);
}

/**
 * Like `resolveSymbolLists`, for all symbols of an exchange.
 * @param place where the symbols are, for the error. @throws usage error if there is neither a symbol nor a file.
 */
export function resolveKnownSymbols(
  choices: readonly SymbolChoice[],
  existing: () => Iterable<string>,
  place: string,
): readonly string[] {
  return resolve(choices, existing, ({ name, problem }) => {
    throw usageError(`--symbol: ${place} has no symbol "${name}", and ${problem}`);
  });
}

function resolve(
  choices: readonly SymbolChoice[],
  existing: () => Iterable<string>,
  onMissing: (list: SymbolList) => readonly string[],
): readonly string[] {
  const lists = choices.filter((choice) => typeof choice !== 'string');
  if (lists.length === 0) return choices as readonly string[];
  const wanted = new Map(lists.map(({ name }) => [toDatasetSymbol(name), name]));
  const found = new Set<string>();
  for (const symbol of existing()) {
    const name = symbol.startsWith('@') ? wanted.get(toDatasetSymbol(symbol)) : undefined;
    if (name !== undefined) found.add(name);
  }
  return choices.flatMap((choice) => {
    if (typeof choice === 'string') return choice;
    return found.has(choice.name) ? choice.name : (choice.symbols ?? onMissing(choice));
  });
}
