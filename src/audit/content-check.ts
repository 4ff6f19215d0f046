import type { ContentResult } from '../run/audited-day.js';
import type { AuditBatch } from './audit-batch.js';
import type { CheckThresholds } from './audit-record.js';
import type { RecordedResult } from './recorded-result.js';

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
 * A check of the contents of day files. To add one, write a file in `src/audit/checks/`, add it to `CONTENT_CHECKS`,
 * and raise `CHECKS_VERSION`.
 */
export interface ContentCheck {
  readonly name: string;
  readonly appliesTo: (dataType: string) => boolean;
  /** Whether a failure degrades the day, unless `--degrade` says otherwise. */
  readonly degrades: boolean;
  start(file: AuditedFile): CheckCounter;
  /** Applies the exchange record to a recorded result. Without it, the recorded result is the final one. */
  resolve?(recorded: RecordedResult, file: AuditedFile, rows: number, facts: SeriesFacts): ContentResult;
  /** Whether a result is a failure; the default is a count above 0. */
  hasFailed?(result: ContentResult): boolean;
}
