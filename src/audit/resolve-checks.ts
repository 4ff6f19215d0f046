import { parseDay, US_PER_DAY } from '../dataset/day.js';
import type { ContentResult } from '../run/audited-day.js';
import type { AuditRecord, CheckThresholds } from './audit-record.js';
import { gap, limitGaps } from './checks/gap.js';
import type { AuditedFile, SeriesFacts } from './content-check.js';
import { CONTENT_CHECKS } from './content-checks.js';
import type { RecordedGap } from './recorded-result.js';

const CHECKS_BY_NAME = new Map(CONTENT_CHECKS.map((check) => [check.name, check]));

type RecordedChecks = Pick<AuditRecord, 'dataType' | 'date' | 'rows' | 'checks' | keyof CheckThresholds>;

/** Applies the exchange record to the recorded results of a file. */
export function resolveChecks(
  record: RecordedChecks,
  facts: SeriesFacts,
): Readonly<Record<string, ContentResult>> {
  const file = toAuditedFile(record);
  return Object.fromEntries(
    Object.entries(record.checks).map(([name, recorded]) => {
      const resolve = CHECKS_BY_NAME.get(name)?.resolve;
      return [name, resolve ? resolve(recorded, file, record.rows, facts) : recorded];
    }),
  );
}

/** All gaps that `gap` counts, by start. */
export function listGaps(record: RecordedChecks, facts: SeriesFacts): readonly RecordedGap[] {
  const recorded = record.checks[gap.name];
  return recorded ? limitGaps(recorded, toAuditedFile(record), record.rows, facts) : [];
}

function toAuditedFile(record: RecordedChecks): AuditedFile {
  const { dataType, date } = record;
  return { thresholds: record, dataType, dayStart: date === '' ? 0 : parseDay(date) * US_PER_DAY };
}

/** The names of the checks that failed, in the order of `CONTENT_CHECKS`. */
export function findFailedChecks(checks: Readonly<Record<string, ContentResult>>): readonly string[] {
  return CONTENT_CHECKS.flatMap(({ name, hasFailed = countsAny }) => {
    const result = checks[name];
    return result && hasFailed(result) ? [name] : [];
  });
}

function countsAny({ count }: ContentResult): boolean {
  return count !== null && count > 0;
}
