import { TickhaulError } from '../base/errors.js';
import type { Files, StoredFileInfo } from '../store/files.js';
import { contentVersion } from './audit-file.js';
import type { AuditRecord, CheckThresholds } from './audit-record.js';
import type { DownloadFolders, FolderFile } from './download-folders.js';
import type { AuditSource } from './plan-days.js';

/** Where the results of a file are recorded, and its record if the file has not changed since. */
export interface KnownFile {
  /** Undefined for a file outside of a download folder. */
  readonly folderFile: FolderFile | undefined;
  readonly record: AuditRecord | undefined;
}

/** @throws TickhaulError `disk`; errors of the store; the abort reason. */
export async function findKnownFile(
  { path, info }: Pick<AuditSource, 'info'> & { readonly path: string },
  thresholds: CheckThresholds,
  folders: DownloadFolders,
  files: Files,
  signal: AbortSignal,
): Promise<KnownFile> {
  const folderFile = await folders.find(path);
  const record = folderFile?.log.find(folderFile.path, thresholds);
  if (!record) return { folderFile, record: undefined };
  const found = info ?? (await files.stat(path, signal).catch(ignoreFileError));
  return { folderFile, record: isUnchanged(record, found) ? record : undefined };
}

/** Whether a file is still the one that was audited. @param found undefined if it does not exist. */
export function isUnchanged(record: AuditRecord, found: StoredFileInfo | undefined): boolean {
  return found?.bytes === record.bytes && contentVersion(found) === record.version;
}

/** The audit of the file reports the error with its path. */
function ignoreFileError(error: unknown): undefined {
  if (!(error instanceof TickhaulError)) throw error;
}
