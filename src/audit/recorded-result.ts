import type { ContentResult, RowPlace } from '../run/audited-day.js';

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
