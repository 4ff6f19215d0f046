/** The symbols of a filter in upper case, as most exchanges write them; without symbols the key is absent. */
export function toUpperCaseSymbols(symbols: readonly string[] | undefined): {
  readonly symbols?: readonly string[];
} {
  return mapSymbols(symbols, (symbol) => symbol.toUpperCase());
}

/** The symbols of a filter, each converted by `write`; without symbols the key is absent. */
export function mapSymbols(
  symbols: readonly string[] | undefined,
  write: (symbol: string) => string,
): { readonly symbols?: readonly string[] } {
  return symbols === undefined ? {} : { symbols: symbols.map(write) };
}

/** The symbols of a filter in lower case; without symbols the key is absent. */
export function toLowerCaseSymbols(symbols: readonly string[] | undefined): {
  readonly symbols?: readonly string[];
} {
  return mapSymbols(symbols, (symbol) => symbol.toLowerCase());
}

/** As `mapSymbols`, without repetitions, for channels of what several symbols have in common. */
export function mapToUniqueSymbols(
  symbols: readonly string[] | undefined,
  write: (symbol: string) => string,
): { readonly symbols?: readonly string[] } {
  return symbols === undefined ? {} : { symbols: [...new Set(symbols.map(write))] };
}
