import { AuditLog } from '../audit/audit-log.js';
import { ExportLog } from '../export/export-log.js';
import { type MergeInput, type MergeSummary, mergeManifests } from '../store/manifest/merge-manifests.js';

export interface FolderMergeSummary extends MergeSummary {
  /** Results of audits that the target's log did not have. */
  readonly audits: number;
  /** Exports that the target's log did not have, or had from an earlier time. */
  readonly exports: number;
}

/**
 * Merges the manifests, audit logs and export logs of several folders (docs/spec/manifest.md#merged-manifests).
 * @throws as `mergeManifests`; then the logs are not merged.
 */
export async function mergeFolders(input: MergeInput): Promise<FolderMergeSummary> {
  const summary = await mergeManifests(input);
  const { folders, target, signal } = input;
  const auditLog = await AuditLog.open(target, signal);
  const exportLog = await ExportLog.open(target, signal);
  let [audits, exports] = [0, 0];
  for (const folder of folders) {
    audits += await auditLog.addAll(await AuditLog.open(folder, signal), signal);
    exports += await exportLog.addAll(await ExportLog.open(folder, signal), signal);
  }
  await auditLog.write(signal);
  await exportLog.write(signal);
  return { ...summary, audits, exports };
}
