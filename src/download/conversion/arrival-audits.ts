import { contentVersion, createAuditRecord, type RowAuditResult } from '../../audit/audit-log.js';
import { DEFAULT_THRESHOLDS } from '../../audit/content-check.js';
import { type DownloadFolders, findKnownFile } from '../../audit/download-folders.js';
import type { AuditSource } from '../../audit/plan-days.js';
import { TickhaulError } from '../../base/errors.js';
import type { FileChecksums } from '../../gzip/verify-file.js';
import type { Destination } from '../../store/destination.js';
import type { PlannedFile } from '../download-options.js';
import type { TextTask } from './convert-worker.js';

/** The audits of one run. */
export interface ArrivalAudits {
  /** The audited files so far, for `auditFiles`, which judges them without reading them. */
  readonly sources: readonly AuditSource[];
  /** Whether a file has a record, and has not changed since. @param path relative to the destination. */
  isAudited(path: string): Promise<boolean>;
  /**
   * Errors in the rows make the day corrupt. The results are recorded and added to `sources`.
   */
  start(planned: PlannedFile): TextTask<void>;
}

/** @param folders contain the log of the destination. */
export function createArrivalAudits(
  destination: Destination,
  folders: DownloadFolders,
  signal: AbortSignal,
): ArrivalAudits {
  const { files } = destination;
  const sources: AuditSource[] = [];

  const record = async (location: string, result: RowAuditResult, proof: FileChecksums) => {
    const { bytes, sha256 } = proof;
    const found = await files.stat(location, signal);
    // A file of which only conversions are kept may never be written.
    const info = found?.bytes === bytes ? found : { bytes };
    const content = { bytes, sha256, version: contentVersion(info) };
    const folderFile = await folders.find(location);
    if (!folderFile) throw new Error(`${location}: outside of the download folder`);
    const { log, path } = folderFile;
    await log.add(createAuditRecord(path, result, content, DEFAULT_THRESHOLDS), signal).catch(ignoreFailure);
    return info;
  };

  return {
    sources,
    async isAudited(path) {
      const source = { path: destination.locate(path) };
      return (await findKnownFile(source, DEFAULT_THRESHOLDS, folders, files, signal)).record !== undefined;
    },
    start({ file, path }) {
      // The location, which the day's event has too: a message then has it once.
      const location = destination.locate(path);
      return {
        createJobs: () => [{ audit: { path: location, file, thresholds: DEFAULT_THRESHOLDS } }],
        async finish([result], error, proof) {
          const info = result?.audited && (await record(location, result.audited, proof));
          sources.push({ path: location, file, isInFolder: false, info, error });
        },
      };
    },
  };
}

/** The log throws the same error again when it is written at the end of the run, which is a warning. */
function ignoreFailure(error: unknown): void {
  if (!(error instanceof TickhaulError)) throw error;
}
