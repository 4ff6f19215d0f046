/** The row at which a check first counts. */
export interface RowPlace {
  /** Counted from 1 after the header. */
  readonly row: number;
  /** Microseconds since the epoch; null if the cell is empty. */
  readonly localTimestamp: number | null;
  /** As in the row; null if the cell is empty. */
  readonly symbol: string | null;
}

/** A period of a day. */
export interface TimeStretch {
  /** Microseconds since the epoch. */
  readonly start: number;
  readonly seconds: number;
}

/** Result of a content check for one day file, as in `--json` (docs/reference/audit-checks.md). */
export interface ContentResult {
  /** What the check counts; null if it cannot be counted in this file. */
  readonly count: number | null;
  /** Absent if the count is 0 or null. */
  readonly first?: RowPlace | undefined;
  /** Greatest distance; only of checks that compare times. */
  readonly maxMicroseconds?: number | undefined;
  /** Total length; only of checks that count periods. */
  readonly seconds?: number | undefined;
  /** The longest period, the earlier of equal ones; null if there is none. */
  readonly longest?: TimeStretch | null | undefined;
}

/** A gap in a file, before it is limited to the listed period of its symbol. */
export interface RecordedGap {
  /** Microseconds since the epoch. */
  readonly start: number;
  readonly end: number;
  /** The row that ends it; the last row of the file for a gap up to the end of the day. */
  readonly place: RowPlace;
}

/** Prices that are not positive, of one symbol. */
export interface SymbolCount {
  readonly symbol: string | null;
  readonly count: number;
  readonly first: RowPlace;
}

/**
 * Result of a check as the audit record stores it. What depends on the exchange record is stored in detail, and
 * resolved on each run, so that a new exchange record needs no reading of files.
 */
export interface RecordedResult extends ContentResult {
  /** Of `gap`: all gaps, by start. */
  readonly gaps?: readonly RecordedGap[] | undefined;
  /** Of `bad_number`: prices that are not positive, by symbol; the count excludes them. */
  readonly prices?: readonly SymbolCount[] | undefined;
}
