import leven from 'leven';

const MAX_SCANNED = 20_000;

/** Up to three known names nearest to a mistyped one, best first; empty where none is near. */
export function nearestNames(wrong: string, known: Iterable<string>): readonly string[] {
  const lower = wrong.toLowerCase();
  const allowed = Math.max(1, Math.floor(wrong.length / 3));
  const found: { name: string; distance: number }[] = [];
  let scanned = 0;
  for (const name of known) {
    // A record may hold hundreds of thousands of symbols: prefer those of like length and stop in time.
    if (Math.abs(name.length - wrong.length) > allowed && !name.toLowerCase().startsWith(lower)) continue;
    if (scanned++ > MAX_SCANNED) break;
    const distance = name.toLowerCase().startsWith(lower) ? 0.5 : leven(lower, name.toLowerCase());
    if (distance <= allowed) found.push({ name, distance });
  }
  return found
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** ` (did you mean a, b?)`, or nothing where no name is near. */
export function didYouMean(wrong: string, known: Iterable<string>): string {
  const names = nearestNames(wrong, known);
  return names.length === 0 ? '' : `; did you mean ${names.join(', ')}?`;
}
