/** Access of an API key to one exchange (`docs/spec/metadata-api.md#key-info`). Unknown fields are kept. */
export interface KeyAccess {
  readonly [field: string]: unknown;
  readonly exchange: string;
  readonly accessType?: string | null | undefined;
  /** ISO 8601, UTC. */
  readonly from?: string | null | undefined;
  /** Exclusive. */
  readonly to?: string | null | undefined;
  /** Empty or null for all. */
  readonly symbols?: readonly string[] | null | undefined;
  readonly dataPlan?: string | null | undefined;
}

/** Number of characters shown, and the shortest key that stays secret without them. */
const SHOWN_CHARACTERS = 4;
const MIN_KEY_LENGTH = 8;

/** Formats a key for messages: only its last characters, enough for its owner to recognize it. */
export function formatKeyForLog(apiKey: string): string {
  return `…${apiKey.length < MIN_KEY_LENGTH ? '' : apiKey.slice(-SHOWN_CHARACTERS)}`;
}
