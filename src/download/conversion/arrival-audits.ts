import { availableParallelism } from 'node:os';
import { contentVersion, createAuditRecord, type RowAuditResult } from '../../audit/audit-record.js';
import { DEFAULT_THRESHOLDS } from '../../audit/content-check.js';
import { type DownloadFolders, findKnownFile } from '../../audit/download-folders.js';
import type { AuditSource } from '../../audit/plan-days.js';
import { TickhaulError } from '../../base/errors.js';
import { judgeError } from '../../base/judge-error.js';
import type { TextSink } from '../../gzip/gunzip.js';
import type { FileChecksums } from '../../gzip/verify-file.js';
import type { Destination } from '../../store/destination.js';
import type { PlannedFile } from '../download-options.js';
import { createConvertThreads, type ThreadConversion } from './convert-threads.js';

/** The audit of one day file, from the text that its verification decompresses. */
export interface DayFileAudit {
  /** Starts the audit. Errors in the rows make the day corrupt; only errors that affect every file are thrown. */
  textSink(): TextSink;
  /** Records the results; call it after the source was verified and published. */
  finish(proof: FileChecksums): Promise<void>;
  /** Always call it when done. */
  end(): Promise<void>;
}

/** The audits of one run. */
export interface ArrivalAudits {
  /** The audited files so far, for `auditFiles`, which judges them without reading them. */
  readonly sources: readonly AuditSource[];
  /** Whether a file has a record, and has not changed since. @param path relative to the destination. */
  isAudited(path: string): Promise<boolean>;
  start(planned: PlannedFile): DayFileAudit;
}

/** @param folders contain the log of the destination. */
export function createArrivalAudits(
  destination: Destination,
  folders: DownloadFolders,
  signal: AbortSignal,
): ArrivalAudits {
  const { files } = destination;
  const threads = createConvertThreads(availableParallelism(), destination.settings);
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
      let running: ThreadConversion | undefined;
      let failure: TickhaulError | undefined;
      const fail = (error: unknown): void => {
        failure = toContentError(error);
      };
      return {
        textSink() {
          // The location, which the day's event has too: a message then has it once.
          const location = destination.locate(path);
          const started = threads.start({ audit: { path: location, file, thresholds: DEFAULT_THRESHOLDS } });
          running = started;
          return async (text) => {
            if (!failure) await started.write(text).catch(fail);
          };
        },
        async finish(proof) {
          if (!running) throw new Error(`${path}: no text was received`);
          const location = destination.locate(path);
          const result = failure ? undefined : await running.finish(proof).catch(fail);
          const info = result?.audited && (await record(location, result.audited, proof));
          sources.push({ path: location, file, isInFolder: false, info, error: failure });
        },
        async end() {
          await running?.abort();
        },
      };
    },
  };
}

/** Rethrows errors that affect the whole run. */
function toContentError(error: unknown): TickhaulError {
  if (error instanceof TickhaulError && !judgeError(error).affectsRun) return error;
  throw error;
}

/** The log throws the same error again when it is written at the end of the run, which is a warning. */
function ignoreFailure(error: unknown): void {
  if (!(error instanceof TickhaulError)) throw error;
}
