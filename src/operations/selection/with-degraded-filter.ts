import type { AuditLog } from '../../audit/audit-log.js';
import type { AuditRecord } from '../../audit/audit-record.js';
import type { EventSink } from '../../events/run-events.js';
import type { StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readBooleanFlag } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import { loadSettings } from '../config/load-config.js';

/** Whether a file is left out. */
type IsExcluded = (path: string) => Promise<boolean>;

/**
 * Runs `work` with the filter of `--skip-degraded`, undefined without the flag: it excludes each file whose last recorded
 * audit is degraded, with a warning. A file that changed since its audit, or has none, is not excluded.
 */
export async function withDegradedFilter<T>(
  args: CommandArgs,
  host: CommandHost,
  store: StoreSettings | undefined,
  emit: EventSink,
  work: (isExcluded: IsExcluded | undefined) => Promise<T>,
): Promise<T> {
  if (!readBooleanFlag(args, 'skip-degraded')) return work(undefined);
  const { downloadDir } = await loadSettings(args, host);
  const { DownloadFolders } = await import('../../audit/download-folders.js');
  const { isUnchanged } = await import('../../audit/download-folders.js');
  const files = openFiles(store);
  const folders = new DownloadFolders(downloadDir, files, store, host.signal);
  const recordsByLog = new Map<AuditLog, ReadonlyMap<string, AuditRecord>>();
  const isExcluded: IsExcluded = async (path) => {
    const found = await folders.find(path);
    if (!found) return false;
    const records = recordsByLog.get(found.log) ?? found.log.records();
    recordsByLog.set(found.log, records);
    const record = records.get(found.path);
    if (!record || record.reasons.length === 0) return false;
    if (!isUnchanged(record, await files.stat(path, host.signal))) return false;
    emit({ event: 'warning', message: `skipping ${path}: degraded (${record.reasons.join(', ')})` });
    return true;
  };
  try {
    return await work(isExcluded);
  } finally {
    await folders.close();
    await files.close();
  }
}
