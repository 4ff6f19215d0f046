import type { FileContentFacts } from '../run/audited-day.js';
import type { RecordedResult } from './recorded-result.js';

/** Version of the checks. Raise it if a check counts differently for any file: all files are then read again. */
export const CHECKS_VERSION = 1;

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

/** Identity of the content that was audited. */
export interface AuditedContent {
  /** Compressed size. */
  readonly bytes: number;
  /** Of the compressed file, in hexadecimal. */
  readonly sha256: string;
  /**
   * Changes whenever the file is written again: the time of change of a local file, the ETag of an object. Undefined
   * if the file changed while it was read, so that it is read again, or if only its conversions were written.
   */
  readonly version: string | undefined;
}

/** The results of all checks of a complete day file: one line of `.tickhaul/audit.jsonl`. */
export interface AuditRecord extends AuditedContent, CheckThresholds, FileContentFacts {
  /** Relative to the download folder, with `/`. */
  readonly path: string;
  readonly checksVersion: number;
  readonly exchange: string;
  readonly dataType: string;
  /** The dataset symbol. */
  readonly symbol: string;
  /** UTC day, `YYYY-MM-DD`; empty if neither the name nor a row tells it. */
  readonly date: string;
  /** Results by the name of the check; checks that do not apply to the data type are absent. */
  readonly checks: Readonly<Record<string, RecordedResult>>;
  /**
   * The reasons of the last verdict; none if the day is available. Each run judges again, since they also depend on the
   * exchange record and on `--degrade`; other commands use them as they are.
   */
  readonly reasons: readonly string[];
}
