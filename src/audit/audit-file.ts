import { createHash } from 'node:crypto';
import type { DayFile } from '../dataset/day-file.js';
import { LARGE_TEXT_CHUNK_BYTES } from '../integrity/gunzip.js';
import { readSourceText } from '../integrity/read-source.js';
import type { Files, StoredFileInfo } from '../store/files.js';
import { statSource } from '../store/stat-source.js';
import type { AuditedContent, CheckThresholds } from './audit-record.js';
import { FileAudit, type FileAuditResult } from './file-audit.js';

/** Audit of one day file as plain data, which can be posted to a thread. */
export interface AuditJob {
  readonly location: string;
  /** Undefined to use the header and the first row. */
  readonly file: DayFile | undefined;
  readonly thresholds: CheckThresholds;
  /** As in `GzipReadOptions`. */
  readonly inflateThreads: number | undefined;
}

export interface AuditJobResult {
  readonly result: FileAuditResult;
  readonly content: AuditedContent;
}

/**
 * Reads a file once and runs all its checks.
 * @param onBytes called with the number of compressed bytes just read, and the size of the file.
 * @throws TickhaulError `corrupt` if it cannot be read to its end or has a bad cell, `unreadable`; errors of the store;
 * the abort reason.
 */
export async function auditFile(
  { location, file, thresholds, inflateThreads }: AuditJob,
  files: Files,
  onBytes: (count: number, total: number) => void,
  signal: AbortSignal,
): Promise<AuditJobResult> {
  const found = await statSource(files, location, signal);
  const audit = new FileAudit({ path: location, file, thresholds });
  const sha256 = createHash('sha256');
  let bytes = 0;
  const onChunk = (chunk: Buffer): void => {
    bytes += chunk.length;
    sha256.update(chunk);
    onBytes(chunk.length, found.bytes);
  };
  const reader = { onBytes: onChunk, onText: (text: Buffer): void => audit.push(text) };
  const options = { read: files.read, textChunk: LARGE_TEXT_CHUNK_BYTES, inflateThreads };
  await readSourceText(location, reader, signal, options);
  const result = audit.end();
  const version = contentVersion(found);
  const after = await files.stat(location, signal);
  const isUnchanged = after?.bytes === bytes && contentVersion(after) === version;
  return {
    result,
    content: { bytes, sha256: sha256.digest('hex'), version: isUnchanged ? version : undefined },
  };
}

/** A text that changes whenever a file is written again: the ETag of an object, the time of change of a local file. */
export function contentVersion({ etag, modifiedMs }: StoredFileInfo): string | undefined {
  return etag ?? (modifiedMs === undefined ? undefined : String(modifiedMs));
}
