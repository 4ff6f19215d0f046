/** Names that the page offers at a time. */
const MAX_OFFERED_SYMBOLS = 50;

/** The names that have a text, in any case; those that begin with it first, else in their order. */
export function findSymbols(
  all: readonly string[],
  search: string,
): { readonly symbols: readonly string[]; readonly found: number } {
  const wanted = search.trim().toLowerCase();
  const beginning: string[] = [];
  const within: string[] = [];
  let found = 0;
  for (const name of all) {
    const at = name.toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    found++;
    const list = at === 0 ? beginning : within;
    if (list.length < MAX_OFFERED_SYMBOLS) list.push(name);
  }
  return { symbols: [...beginning, ...within].slice(0, MAX_OFFERED_SYMBOLS), found };
}
