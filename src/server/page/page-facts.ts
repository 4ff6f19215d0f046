/** What the page asks of its server, as JSON. */

/** `GET /page/server` */
export interface ServerFacts {
  readonly version: string;
  /** Where normalized messages come from. */
  readonly source: 'feeds' | 'datasets';
  /** Whether nothing is asked for. */
  readonly offline: boolean;
  readonly uptimeMs: number;
  /** Sent to clients, since the start. */
  readonly messages: number;
}

/** `GET /page/cache`: the slices of raw data. */
export interface CacheFacts {
  readonly slices: number;
  readonly bytes: number;
  /** Bytes; null for none. */
  readonly limit: number | null;
}

/** An element of `GET /page/exchanges`. */
export interface ListedExchange {
  readonly id: string;
  readonly name?: string | undefined;
  /** ISO 8601. */
  readonly availableSince?: string | undefined;
  readonly availableTo?: string | undefined;
}

/** `GET /page/symbols?exchange=…&search=…` */
export interface FoundSymbols {
  /** Some of those that have the text that is searched for; those that begin with it come first. */
  readonly symbols: readonly string[];
  /** How many have it. */
  readonly found: number;
  /** The first UTC day whose data isn't there yet, `YYYY-MM-DD`, where day files are served. */
  readonly exportedUntil?: string | undefined;
}
