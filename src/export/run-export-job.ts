import { basename } from 'node:path';
import { contentVersion } from '../audit/audit-log.js';
import { hashSource } from '../convert/convert-file.js';
import type { FilesWithSettings } from '../convert/rows/read-rows.js';
import type { RowCounts } from '../events/run-events.js';
import type { ExportTargetName } from '../options/export-options.js';
import type { Files } from '../store/files.js';
import { joinLocation } from '../store/location.js';
import { statSource } from '../store/open-files.js';
import type { ExportedFile, ExportedSource, ExportRecord } from './export-log.js';
import type { ExportJob, ExportTarget } from './export-target.js';
import { freqtrade } from './freqtrade/freqtrade-target.js';
import { hftbacktest } from './hftbacktest/hftbacktest-target.js';
import { JobIo } from './job-io.js';
import { nautilus } from './nautilus/nautilus-target.js';

/** All targets. */
export const EXPORT_TARGETS: Readonly<Record<ExportTargetName, ExportTarget<unknown>>> = {
  hftbacktest,
  nautilus,
  freqtrade,
};

/** A job and where to write its outputs, as plain data, which can be posted to a thread. */
export interface PlacedExportJob {
  readonly job: ExportJob;
  /** Output folder or prefix. */
  readonly out: string;
  /** The last export of the job; undefined to write the outputs in any case. */
  readonly record: ExportRecord | undefined;
  /** Threads that work in this run, that of the job included. */
  readonly busyThreads: number;
}

export interface ExportJobResult {
  /** `skipped` if the outputs are up to date. */
  readonly status: 'converted' | 'skipped';
  readonly sources: readonly ExportedSource[];
  readonly outputs: readonly ExportedFile[];
  /** Undefined if they were not read. */
  readonly dayFileRows: RowCounts | undefined;
  readonly warnings: readonly string[];
}

/** An output that a job has written. */
export interface ClaimedOutput {
  /** Relative to the output folder. */
  readonly path: string;
  /** As `OutputOwner.name`, if it is known. */
  readonly owner?: string | undefined;
}

/** Called while a job runs. */
export interface JobListener {
  /** @param count compressed bytes just read. @param total size of all sources. */
  onBytes(count: number, total: number): void;
  /** Called once, before the outputs get their names. @throws TickhaulError if the job must not write them. */
  claim(outputs: readonly ClaimedOutput[]): Promise<void>;
}

/**
 * Exports one job, unless its outputs are up to date.
 * @throws TickhaulError; a failed job leaves no new output.
 */
export async function runExportJob(
  { job, out, record, busyThreads }: PlacedExportJob,
  { files, store }: FilesWithSettings,
  listener: JobListener,
  signal: AbortSignal,
): Promise<ExportJobResult> {
  if (record && (await isUpToDate(job, out, record, files, signal))) {
    const { sources, outputs } = record;
    await listener.claim(outputs);
    return { status: 'skipped', sources, outputs, dayFileRows: undefined, warnings: [] };
  }
  let total = 0;
  for (const { path } of job.sources) total += (await statSource(files, path, signal)).bytes;
  const onRead = (count: number): void => listener.onBytes(count, total);
  const access = { files, store, busyThreads };
  const { hasDayFolders: hasOwnedFolders, loadExporter } = EXPORT_TARGETS[job.target];
  const io = new JobIo({ access, out, key: job.key, onBytes: onRead, hasOwnedFolders, signal });
  try {
    const exportRows = await loadExporter();
    await exportRows(job, io);
    signal.throwIfAborted();
    const dayFileRows = io.countRows();
    const sources = job.sources.map((source) => io.describeSource(source));
    const outputs = io.describeOutputs();
    await listener.claim(outputs);
    await io.publish();
    return { status: 'converted', sources, outputs, dayFileRows, warnings: io.warnings };
  } finally {
    await io.close();
  }
}

/** Same sources, settings and output version, and all outputs have their size. */
async function isUpToDate(
  job: ExportJob,
  out: string,
  record: ExportRecord,
  files: Files,
  signal: AbortSignal,
): Promise<boolean> {
  if (record.outputVersion !== EXPORT_TARGETS[job.target].version) return false;
  if (JSON.stringify(record.settings) !== JSON.stringify(job.settings)) return false;
  if (record.sources.length !== job.sources.length) return false;
  for (const { path, bytes } of record.outputs) {
    const found = await files.stat(joinLocation(out, path), signal).catch(() => undefined);
    if (found?.bytes !== bytes) return false;
  }
  for (const [i, { path }] of job.sources.entries()) {
    const known = record.sources[i] as ExportedSource;
    const found = await statSource(files, path, signal);
    if (known.name !== basename(path) || known.bytes !== found.bytes) return false;
    const isUntouched = known.version !== undefined && known.version === contentVersion(found);
    if (!isUntouched && (await hashSource(files, path, signal)) !== known.md5) return false;
  }
  return true;
}
