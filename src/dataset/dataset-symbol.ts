/** Symbols that repeat the rows of others: `all` leaves them out (service facts, CSV layouts). */
export const GROUPED_SYMBOLS: ReadonlySet<string> = new Set(['SPOT', 'FUTURES', 'PERPETUALS', 'OPTIONS']);

/** A symbol as a user writes it, as the dataset host knows it (service interface, Datasets API, rule 2). */
export function toDatasetSymbol(text: string): string {
  // In one Unicode form: macOS and some keyboards write é as two characters, and the service knows it as one.
  return text.trim().toUpperCase().normalize('NFC').replace(/[/:]/g, '-');
}

/** Whether the text holds a glob's `*` or `?`. */
export function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}

/** A test for symbols that match the glob: `*` is any run of characters, `?` any single one. */
export function createGlobMatcher(glob: string): (symbol: string) => boolean {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replace(/\?/g, '.');
  const pattern = new RegExp(`^${source}$`, 'su');
  return (symbol) => pattern.test(symbol);
}
