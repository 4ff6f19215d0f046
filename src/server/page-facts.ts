/** JSON responses of the server for its page. */

/** `GET /page/server` */
export interface ServerFacts {
  readonly version: string;
  /** Where normalized messages come from. */
  readonly source: 'feeds' | 'datasets';
  /** Whether the server is offline: it sends no requests. */
  readonly offline: boolean;
  readonly uptimeMs: number;
  /** Messages sent to clients since the start. */
  readonly messages: number;
}

/** `GET /page/cache`: size of the cached slices of raw data. */
export interface CacheFacts {
  readonly slices: number;
  readonly bytes: number;
  /** Limit in bytes; null for no limit. */
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
  /** Matching symbols up to a limit; those that start with the text come first. */
  readonly symbols: readonly string[];
  /** Number of all matching symbols. */
  readonly found: number;
  /** First UTC day that is not exported yet, `YYYY-MM-DD`; set if the server uses day files. */
  readonly exportedUntil?: string | undefined;
}
