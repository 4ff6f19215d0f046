import type { RecordedResult } from './check-result.js';

/** Version of the checks. Raise it if a check counts differently for any file: all files are then read again. */
export const CHECKS_VERSION = 1;

/** Thresholds of the checks. A record with other thresholds is not used. */
export interface CheckThresholds {
  /** `--gap`, in milliseconds. */
  readonly gapMs: number;
  /** `--jump`, a ratio: 0.1 is 10 percent. */
  readonly jump: number;
}

/** Distribution of `local_timestamp - timestamp`, in microseconds. */
export interface LatencySummary {
  /** Percentiles, within 1 percent. */
  readonly p50: number;
  readonly p99: number;
  /** Exact. */
  readonly max: number;
}

/** Content of a day file: plain numbers, the same for any number of threads. */
export interface FileContentFacts {
  readonly rows: number;
  /** Number of distinct symbols. */
  readonly symbols: number;
  /** Of the first and last row that has one, in microseconds since the epoch; null without rows. */
  readonly firstLocalTimestamp: number | null;
  readonly lastLocalTimestamp: number | null;
  readonly latencyMicroseconds: LatencySummary | null;
}

/** Identity of the content that was audited. */
export interface AuditedContent {
  /** Compressed size. */
  readonly bytes: number;
  /** Of the compressed file, in hexadecimal. */
  readonly sha256: string;
  /**
   * Changes whenever the file is written again: the time of change of a local file, the ETag of an object. Undefined
   * if the file changed while it was read, so that it is read again.
   */
  readonly version: string | undefined;
}

/**
 * One line of `.tickhaul/audit.jsonl`: the results of all checks of a complete day file. It holds no condition, since
 * that also depends on the exchange record and on `--degrade`.
 */
export interface AuditRecord extends AuditedContent, CheckThresholds, FileContentFacts {
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  readonly checksVersion: number;
  readonly exchange: string;
  readonly dataType: string;
  /** The dataset symbol. */
  readonly symbol: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly date: string;
  /** Results by the name of the check; checks that do not apply to the data type are absent. */
  readonly checks: Readonly<Record<string, RecordedResult>>;
}
