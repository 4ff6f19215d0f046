/** Characters of a key that are shown, and the shortest key of which that leaves enough unknown. */
const SHOWN_CHARACTERS = 4;
const MIN_KEY_LENGTH = 8;

/** A key as messages name it: its last characters, by which its owner knows it. */
export function formatKeyForLog(apiKey: string): string {
  return `…${apiKey.length < MIN_KEY_LENGTH ? '' : apiKey.slice(-SHOWN_CHARACTERS)}`;
}
