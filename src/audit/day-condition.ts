import type { FileError } from '../base/file-error.js';
import type { FileContentFacts } from './audit-record.js';
import type { ContentResult } from './check-result.js';

/**
 * Conditions of a day: `available`; `degraded` if a degrading check failed or an incident overlaps the day; `missing`
 * if the series covers the day and no file is there; `pending` if it is not exported yet; `corrupt` if the file cannot
 * be read to its end.
 */
export const DAY_CONDITIONS = ['available', 'degraded', 'missing', 'pending', 'corrupt'] as const;

export type DayCondition = (typeof DAY_CONDITIONS)[number];

/** Name of incidents among the names of `--degrade` and the reasons of a day. */
export const INCIDENT = 'incident';

/** An incident of the exchange record, unchanged (docs/spec/metadata-api.md#exchange-record). */
export type IncidentReport = Readonly<Record<string, unknown>>;

/** Verdict on one day of a series, with the names of `--json`. */
export interface AuditedDay extends Partial<FileContentFacts> {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly date: string;
  /** As the user named it, or relative to the download folder; null if no file is there. */
  readonly path: string | null;
  readonly condition: DayCondition;
  /** Degrading checks that failed, in the order of `CONTENT_CHECKS`, then `incident`; empty unless degraded. */
  readonly reasons: readonly string[];
  /** Incidents that overlap the day. */
  readonly incidents: readonly IncidentReport[];
  /** Results by the name of the check; absent unless a file was read to its end. */
  readonly checks?: Readonly<Record<string, ContentResult>> | undefined;
  /** Why the file is corrupt or cannot be read. */
  readonly error?: FileError | undefined;
}
