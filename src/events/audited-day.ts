import type { FileError } from '../base/errors.js';

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

/** A period without rows, in microseconds since the epoch. */
export interface DayGap {
  readonly start: number;
  readonly end: number;
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

/**
 * Conditions of a day: `available`; `degraded` if a degrading check failed or an incident overlaps the day; `missing`
 * if the series covers the day and no file is there; `pending` if it is not exported yet; `corrupt` if the file cannot
 * be read to its end.
 */
export const DAY_CONDITIONS = ['available', 'degraded', 'missing', 'pending', 'corrupt'] as const;

export type DayCondition = (typeof DAY_CONDITIONS)[number];

/** An incident of the exchange record, unchanged (docs/spec/metadata-api.md#exchange-record). */
export type IncidentReport = Readonly<Record<string, unknown>>;

/** Names of a series of day files. */
export interface SeriesNames {
  readonly exchange: string;
  readonly dataType: string;
  /** The dataset symbol. */
  readonly symbol: string;
}

/** A series that is not available on a day. */
export interface FailedSeries extends SeriesNames {
  readonly condition: Exclude<DayCondition, 'available'>;
  /** As in `AuditedDay`. */
  readonly reasons: readonly string[];
}

/** A day on which series are not available. */
export interface FailedDay {
  /** UTC day, `YYYY-MM-DD`. */
  readonly date: string;
  /** Sorted by name. */
  readonly series: readonly FailedSeries[];
}

/** The days that are available for all series: the document of `audit --good --json`. */
export interface GoodDays {
  /** All selected series, sorted by name. */
  readonly series: readonly SeriesNames[];
  /** UTC days, `YYYY-MM-DD`, ascending. */
  readonly days: readonly string[];
  /** The other days for which any of the series has a verdict, ascending. */
  readonly otherDays: readonly FailedDay[];
}

/** Verdict on one day of a series, with the names of `--json`. */
export interface AuditedDay extends SeriesNames, Partial<FileContentFacts> {
  /** UTC day, `YYYY-MM-DD`; empty if neither the name nor a row of the file tells it. */
  readonly date: string;
  /** Location of the file as the command found it; null if no file is there. */
  readonly path: string | null;
  readonly condition: DayCondition;
  /** Degrading checks that failed, in the order of the list of checks, then `incident`; empty unless degraded. */
  readonly reasons: readonly string[];
  /** Incidents that overlap the day. */
  readonly incidents: readonly IncidentReport[];
  /** Results by the name of the check; absent unless a file was read to its end. */
  readonly checks?: Readonly<Record<string, ContentResult>> | undefined;
  /** All gaps, by start; not in `--json`. */
  readonly gaps?: readonly DayGap[] | undefined;
  /** Why the file is corrupt. */
  readonly error?: FileError | undefined;
}
