import type { ContentResult, RowPlace } from '../events/audited-day.js';
import type { AuditBatch } from './audit-batch.js';
import type { CheckName } from './check-descriptions.js';

/** Thresholds of the checks. A record with other thresholds is not used. */
export interface CheckThresholds {
  /** `--gap`, in milliseconds. */
  readonly gapMs: number;
  /** `--jump`, a ratio: 0.1 is 10 percent. */
  readonly jump: number;
}

/** Those of an audit without `--gap` and `--jump`. */
export const DEFAULT_THRESHOLDS: CheckThresholds = { gapMs: 60_000, jump: 0.1 };

const THRESHOLD_NAMES = Object.keys(DEFAULT_THRESHOLDS) as readonly (keyof CheckThresholds)[];

/** The same text for the same thresholds. @param thresholds alone, or among the fields of a record. */
export function formatThresholds(thresholds: CheckThresholds): string {
  return THRESHOLD_NAMES.map((name) => thresholds[name]).join('\n');
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

/** A day file under audit. */
export interface AuditedFile {
  readonly thresholds: CheckThresholds;
  readonly dataType: string;
  /** Start of the file's UTC day, in microseconds since the epoch. */
  readonly dayStart: number;
}

/** Facts of the exchange record that a result depends on; undefined values are not known. */
export interface SeriesFacts {
  /** Listed period of the symbol, in microseconds since the epoch. */
  readonly availableSince?: number | undefined;
  readonly availableTo?: number | undefined;
  /** Whether the record lists a symbol, in the spelling of its rows, as `combo`. */
  readonly isCombo: (symbol: string) => boolean;
}

/** Counts the rows of one file. State is carried from batch to batch, so that batch borders have no effect. */
export interface CheckCounter {
  /** Takes the next batch; its arrays are valid only during the call. */
  push(batch: AuditBatch): void;
  /** Ends the file. @param rows total number of rows. */
  end(rows: number): RecordedResult;
}

/**
 * A check of the contents of day files. To add one, add it to `ROW_CHECKS`, or write a file in `src/audit/checks/`; then
 * add it to `CONTENT_CHECKS` and `CHECK_DESCRIPTIONS`, and raise `CHECKS_VERSION`.
 */
export interface ContentCheck {
  /** Its description is in `CHECK_DESCRIPTIONS`. */
  readonly name: CheckName;
  readonly appliesTo: (dataType: string) => boolean;
  /** Whether a failure degrades the day, unless `--degrade` says otherwise. */
  readonly degrades: boolean;
  start(file: AuditedFile): CheckCounter;
  /** Applies the exchange record to a recorded result. Without it, the recorded result is the final one. */
  resolve?(recorded: RecordedResult, file: AuditedFile, rows: number, facts: SeriesFacts): ContentResult;
  /** Whether a result is a failure; the default is a count above 0. */
  hasFailed?(result: ContentResult): boolean;
}
