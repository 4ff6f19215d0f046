import { basename } from 'node:path';
import type { OutputOptions } from '../format/output-options.js';
import type { TextSink } from '../integrity/gunzip.js';
import type { Files, StoredFileInfo } from '../store/files.js';
import { statSource } from '../store/stat-source.js';
import { convertSource } from './convert-source.js';
import type { SourceContent } from './output/provenance.js';
import { findUpToDateOutput } from './output/up-to-date-output.js';
import { hashSource, readUnchangedSource, removeIfUnchanged } from './source-file.js';
import { createKernels } from './threads/kernel-pool.js';
import { planThreads } from './threads/thread-plan.js';

/** Conversion of one day file as plain data, which can be posted to a thread. Files are named by location. */
export interface ConvertFileJob {
  readonly source: string;
  readonly target: string;
  /** Undefined if it must be read from the header. */
  readonly dataType: string | undefined;
  readonly options: OutputOptions;
  readonly existing: 'skip' | 'overwrite';
  readonly keepSource: boolean;
  /** Processors that nothing else in the run uses. */
  readonly spareProcessors: number;
  /** Provenance record of an existing output whose format has no metadata. */
  readonly provenance: Readonly<Record<string, string>> | undefined;
}

export interface ConvertFileResult {
  readonly status: 'converted' | 'skipped';
  readonly rows: number;
  /** Size of the output. */
  readonly bytes: number;
  /** Provenance record of a new output. */
  readonly provenance?: Readonly<Record<string, string>> | undefined;
  readonly warning?: string | undefined;
}

/**
 * Converts one file, unless its output is up to date.
 * @param onBytes called with the number of compressed bytes just read, and the size of the source.
 * @throws TickhaulError; a failed conversion leaves no output.
 */
export async function convertFile(
  job: ConvertFileJob,
  files: Files,
  onBytes: (count: number, total: number) => void,
  signal: AbortSignal,
): Promise<ConvertFileResult> {
  const found = await statSource(files, job.source, signal);
  const { bytes, etag } = found;
  const source = { name: basename(job.source), bytes, etag };
  const upToDate =
    job.existing === 'skip'
      ? await findUpToDateOutput(files, job, source, () => hashSource(files, job.source, signal), signal)
      : undefined;
  const result: ConvertFileResult =
    upToDate ?? (await convert(job, files, found, (count) => onBytes(count, bytes), signal));
  if (job.keepSource || (await removeIfUnchanged(files, job.source, found, signal))) return result;
  const warning = `${job.source}: changed during the conversion; keeping it`;
  return { ...result, warning: [result.warning, warning].filter(Boolean).join('; ') };
}

async function convert(
  job: ConvertFileJob,
  files: Files,
  found: StoredFileInfo,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<ConvertFileResult> {
  const { source, target, dataType, options } = job;
  const output = await files.openPart(target, undefined, signal);
  const plan = planThreads(found.bytes, job.spareProcessors);
  const kernels = createKernels(plan);
  const input = { path: source, dataType, options, output, kernels };
  const read = (onText: TextSink): Promise<SourceContent> =>
    readUnchangedSource(files, source, found, onText, onBytes, signal, plan.inflateThreads);
  const { rows, bytes, provenance, warning } = await convertSource(input, read, signal);
  return { status: 'converted', rows, bytes, provenance, warning };
}
