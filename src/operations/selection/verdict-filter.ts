import type { AuditLog } from '../../audit/audit-log.js';
import type { AuditRecord } from '../../audit/audit-record.js';
import type { StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { Context } from '../context.js';

/** Whether a file is left out. */
type IsExcluded = (path: string) => Promise<boolean>;

/**
 * Opens the filter of `--skip-degraded`: it excludes each file whose last recorded audit is degraded, with a warning. A
 * file that changed since its audit, or has none, is not excluded.
 * @param store undefined if all files are local.
 */
export async function openDegradedFilter(
  context: Context,
  store: StoreSettings | undefined,
): Promise<IsExcluded> {
  const { emit, signal, defer } = context;
  const { downloadDir } = await context.settings();
  const { DownloadFolders, isUnchanged } = await import('../../audit/download-folders.js');
  const files = openFiles(store);
  defer(() => files.close());
  const folders = new DownloadFolders(downloadDir, files, store, signal);
  defer(() => folders.close());
  const recordsByLog = new Map<AuditLog, ReadonlyMap<string, AuditRecord>>();
  return async (path) => {
    const found = await folders.find(path);
    if (!found) return false;
    const records = recordsByLog.get(found.log) ?? found.log.records();
    recordsByLog.set(found.log, records);
    const record = records.get(found.path);
    if (!record || record.reasons.length === 0) return false;
    if (!isUnchanged(record, await files.stat(path, signal))) return false;
    emit({ event: 'warning', message: `skipping ${path}: degraded (${record.reasons.join(', ')})` });
    return true;
  };
}
