import { parseDay } from '../dataset/day.js';
import type { AuditedDay } from '../run/audited-day.js';
import type { AuditRecord } from './audit-record.js';
import { noRows } from './checks/no-rows.js';
import { CONTENT_CHECKS } from './content-checks.js';
import type { ExchangeFacts } from './exchange-facts.js';
import { findFailedChecks, listGaps, resolveChecks } from './resolve-checks.js';

/** Name of incidents among the reasons of a day. */
export const INCIDENT = 'incident';

/** The reasons that degrade a day unless `--degrade` names others. */
export const DEFAULT_DEGRADING: ReadonlySet<string> = new Set([
  ...CONTENT_CHECKS.filter(({ degrades }) => degrades).map(({ name }) => name),
  INCIDENT,
]);

/** Adds the result of `no_rows` to the verdict on a file that was read to its end. */
export function addNoRows(day: AuditedDay, count: 0 | 1, degrading: ReadonlySet<string>): AuditedDay {
  const checks = { ...day.checks, [noRows.name]: { count } };
  return { ...day, checks, ...judgeChecks(checks, day.incidents, degrading) };
}

function judgeChecks(
  checks: NonNullable<AuditedDay['checks']>,
  incidents: AuditedDay['incidents'],
  degrading: ReadonlySet<string>,
): Pick<AuditedDay, 'condition' | 'reasons'> {
  const causes = [...findFailedChecks(checks), ...(incidents.length > 0 ? [INCIDENT] : [])];
  const reasons = causes.filter((name) => degrading.has(name));
  return { condition: reasons.length > 0 ? 'degraded' : 'available', reasons };
}

/** Judges a day whose file was read to its end. @param degrading names of checks, and `incident`. */
export function judgeDay(
  record: Omit<AuditRecord, 'path' | 'reasons'>,
  path: string,
  exchange: ExchangeFacts,
  degrading: ReadonlySet<string>,
): AuditedDay {
  const { dataType, symbol, date, rows, symbols, firstLocalTimestamp, lastLocalTimestamp } = record;
  const series = exchange.findSeries(symbol);
  const checks = resolveChecks(record, series);
  const incidents = date === '' ? [] : exchange.findIncidents(parseDay(date));
  return {
    exchange: record.exchange,
    dataType,
    symbol,
    date,
    path,
    ...judgeChecks(checks, incidents, degrading),
    incidents,
    rows,
    symbols,
    firstLocalTimestamp,
    lastLocalTimestamp,
    latencyMicroseconds: record.latencyMicroseconds,
    checks,
    gaps: listGaps(record, series),
  };
}
