import { parseShallowJson } from '../base/json-depth.js';
import { type AuditRecord, CHECKS_VERSION, DEFAULT_THRESHOLDS } from './audit-record.js';
import { CONTENT_CHECKS } from './content-checks.js';
import type { RecordedResult } from './recorded-result.js';

/**
 * Formats a record as one line of JSON. Results of checks that found nothing are left out, since most find nothing and
 * a folder may have a million files.
 */
export function formatRecordLine(record: AuditRecord): string {
  const empty = emptyResults(record.dataType);
  const checks = Object.entries(record.checks).filter(
    ([name, result]) => JSON.stringify(result) !== JSON.stringify(empty[name]),
  );
  return JSON.stringify({ ...record, checks: Object.fromEntries(checks) });
}

/** The record of a line that is valid (`parseShortRecord`). */
export function parseRecordLine(line: string): AuditRecord {
  const record = JSON.parse(line) as AuditRecord;
  const empty = emptyResults(record.dataType);
  return {
    ...record,
    checks: Object.fromEntries(
      Object.entries(empty).map(([name, result]) => [name, record.checks[name] ?? result]),
    ),
  };
}

/**
 * The record without the results that found nothing; undefined for a line that is damaged, or from another version of
 * the checks.
 */
export function parseShortRecord(line: string): AuditRecord | undefined {
  if (line === '') return undefined;
  try {
    const record = parseShallowJson(line) as AuditRecord;
    const isValid =
      record.checksVersion === CHECKS_VERSION &&
      [record.path, record.dataType, record.date].every((text) => typeof text === 'string') &&
      typeof record.checks === 'object' &&
      Array.isArray(record.reasons);
    return isValid ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Results for an empty file, by data type. */
const emptyResultsByType = new Map<string, Readonly<Record<string, RecordedResult>>>();

function emptyResults(dataType: string): Readonly<Record<string, RecordedResult>> {
  const known = emptyResultsByType.get(dataType);
  if (known) return known;
  const file = { thresholds: DEFAULT_THRESHOLDS, dataType, dayStart: 0 };
  const results = Object.fromEntries(
    CONTENT_CHECKS.filter(({ appliesTo }) => appliesTo(dataType)).map((check) => [
      check.name,
      check.start(file).end(0),
    ]),
  );
  emptyResultsByType.set(dataType, results);
  return results;
}
