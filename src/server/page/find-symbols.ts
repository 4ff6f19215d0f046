/** Maximum number of names in one response. */
const MAX_OFFERED_SYMBOLS = 50;

/** Finds the names that contain a text, ignoring case; names that start with it come first. */
export function findSymbols(
  names: readonly string[],
  search: string,
): { readonly symbols: readonly string[]; readonly found: number } {
  const text = search.trim().toLowerCase();
  const beginning: string[] = [];
  const within: string[] = [];
  let found = 0;
  for (const name of names) {
    const at = name.toLowerCase().indexOf(text);
    if (at < 0) continue;
    found++;
    const list = at === 0 ? beginning : within;
    if (list.length < MAX_OFFERED_SYMBOLS) list.push(name);
  }
  return { symbols: [...beginning, ...within].slice(0, MAX_OFFERED_SYMBOLS), found };
}
