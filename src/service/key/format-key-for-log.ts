/** Number of characters shown, and the shortest key that stays secret without them. */
const SHOWN_CHARACTERS = 4;
const MIN_KEY_LENGTH = 8;

/** Formats a key for messages: only its last characters, enough for its owner to recognize it. */
export function formatKeyForLog(apiKey: string): string {
  return `…${apiKey.length < MIN_KEY_LENGTH ? '' : apiKey.slice(-SHOWN_CHARACTERS)}`;
}
