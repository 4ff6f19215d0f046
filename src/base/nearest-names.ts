import leven from 'leven';

const MAX_SCANNED = 20_000;

/** Up to three known names nearest to a mistyped one, best first; empty if none is near. */
export function nearestNames(mistyped: string, known: Iterable<string>): readonly string[] {
  const lowerCased = mistyped.toLowerCase();
  const maxDistance = Math.max(1, Math.floor(mistyped.length / 3));
  const candidates: { name: string; distance: number }[] = [];
  let scanned = 0;
  for (const name of known) {
    // A record may have hundreds of thousands of symbols: compare only a limited number of names of similar length.
    if (Math.abs(name.length - mistyped.length) > maxDistance && !name.toLowerCase().startsWith(lowerCased))
      continue;
    if (scanned++ > MAX_SCANNED) break;
    const distance = name.toLowerCase().startsWith(lowerCased) ? 0.5 : leven(lowerCased, name.toLowerCase());
    if (distance <= maxDistance) candidates.push({ name, distance });
  }
  return candidates
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** `; did you mean a, b?`, or an empty text if no name is near. */
export function didYouMean(mistyped: string, known: Iterable<string>): string {
  const names = nearestNames(mistyped, known);
  return names.length === 0 ? '' : `; did you mean ${names.join(', ')}?`;
}
