/** Characters of a key that are shown, and the shortest key of which that leaves enough unknown. */
const SHOWN = 4;
const SHORTEST_SHOWN = 8;

/** A key as messages name it: its last characters, by which its owner knows it. */
export function shownKey(apiKey: string): string {
  return `…${apiKey.length < SHORTEST_SHOWN ? '' : apiKey.slice(-SHOWN)}`;
}
