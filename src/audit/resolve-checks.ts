import { parseDay, US_PER_DAY } from '../dataset/day.js';
import type { ContentResult } from '../run/audited-day.js';
import type { AuditRecord, CheckThresholds } from './audit-record.js';
import type { SeriesFacts } from './content-check.js';
import { CONTENT_CHECKS } from './content-checks.js';

const CHECKS_BY_NAME = new Map(CONTENT_CHECKS.map((check) => [check.name, check]));

/** Applies the exchange record to the recorded results of a file. */
export function resolveChecks(
  record: Pick<AuditRecord, 'dataType' | 'date' | 'rows' | 'checks' | keyof CheckThresholds>,
  facts: SeriesFacts,
): Readonly<Record<string, ContentResult>> {
  const { dataType, gapMs, jump, rows } = record;
  const file = {
    dataType,
    gapMs,
    jump,
    dayStart: record.date === '' ? 0 : parseDay(record.date) * US_PER_DAY,
  };
  return Object.fromEntries(
    Object.entries(record.checks).map(([name, recorded]) => {
      const resolve = CHECKS_BY_NAME.get(name)?.resolve;
      return [name, resolve ? resolve(recorded, file, rows, facts) : recorded];
    }),
  );
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
