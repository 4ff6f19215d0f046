import {
  type AuditedContent,
  type AuditRecord,
  CHECKS_VERSION,
  type CheckThresholds,
} from './audit-record.js';
import type { RowAuditResult } from './row-audit.js';

/** The record of a file before it is judged. @param path relative to the download folder, with `/`. */
export function createAuditRecord(
  path: string,
  result: RowAuditResult,
  content: AuditedContent,
  thresholds: CheckThresholds,
): AuditRecord {
  return { path, ...content, checksVersion: CHECKS_VERSION, ...thresholds, ...result, reasons: [] };
}
