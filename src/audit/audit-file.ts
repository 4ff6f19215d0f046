import { type FilesWithSettings, readRows } from '../convert/rows/read-rows.js';
import type { DayFile } from '../day-files/day-file.js';
import { statSource } from '../store/open-files.js';
import { type AuditedContent, contentVersion, type RowAuditResult } from './audit-log.js';
import type { CheckThresholds } from './content-check.js';
import { AUDIT_READ_OPTIONS, auditMemories, RowAudit } from './row-audit.js';

/** Audit of one day file as plain data, which can be posted to a thread. */
export interface AuditJob {
  readonly location: string;
  /** Undefined to use the header and the first row. */
  readonly file: DayFile | undefined;
  readonly thresholds: CheckThresholds;
  /** Threads that work in this run, that of the job included. */
  readonly busyThreads: number;
}

export interface AuditJobResult {
  readonly result: RowAuditResult;
  readonly content: AuditedContent;
}

/**
 * Reads a file once and runs all its checks.
 * @param onBytes called with the number of compressed bytes just read, and the size of the file.
 * @throws TickhaulError `corrupt` if it cannot be read to its end or has a bad cell, `unreadable`; errors of the store;
 * the abort reason.
 */
export async function auditFile(
  { location, file, thresholds, busyThreads }: AuditJob,
  { files, store }: FilesWithSettings,
  onBytes: (count: number, total: number) => void,
  signal: AbortSignal,
): Promise<AuditJobResult> {
  const found = await statSource(files, location, signal);
  const audit = new RowAudit({ path: location, file, thresholds });
  const { schema, dataType, bytes, checksum } = await readRows(
    { ...AUDIT_READ_OPTIONS, path: location, dataType: file?.dataType, hash: 'sha256' },
    found.bytes,
    { files, store, busyThreads, memories: auditMemories },
    {
      onBatch: (...rows) => audit.push(...rows),
      onBytes: (count) => onBytes(count, found.bytes),
    },
    signal,
  );
  const result = audit.end(schema, dataType);
  const version = contentVersion(found);
  const after = await files.stat(location, signal);
  const isUnchanged = after?.bytes === bytes && contentVersion(after) === version;
  return { result, content: { bytes, sha256: checksum, version: isUnchanged ? version : undefined } };
}
