import { basename } from 'node:path';
import type { ConvertOptions } from '../format/convert-options.js';
import type { TextSink } from '../integrity/gunzip.js';
import type { Files, StoredFileInfo } from '../store/files.js';
import { convertSource } from './convert-source.js';
import type { SourceContent } from './output/provenance.js';
import { findUpToDateOutput } from './output/up-to-date-output.js';
import { md5OfSource, readUnchangedSource, removeIfUnchanged, statSource } from './source-file.js';
import { createKernels } from './threads/kernel-pool.js';

/** One day file's conversion as plain data, so that a thread can be given it. Files are named by location. */
export interface ConvertFileJob {
  readonly source: string;
  readonly target: string;
  /** Undefined where the header has to tell it. */
  readonly dataType: string | undefined;
  readonly options: ConvertOptions;
  readonly existing: 'skip' | 'overwrite';
  readonly keepSource: boolean;
  /** Processors that nothing else of the run uses. */
  readonly spareProcessors: number;
  /** Record of the output, where the format itself has no room for one. */
  readonly provenance: Readonly<Record<string, string>> | undefined;
}

export interface ConvertFileResult {
  readonly status: 'converted' | 'skipped';
  readonly rows: number;
  /** Of the output. */
  readonly bytes: number;
  /** Record of a new output, where the format itself has no room for one. */
  readonly note?: Readonly<Record<string, string>> | undefined;
  readonly warning?: string | undefined;
}

/**
 * Converts one file, unless its output was made from the very same source already.
 * @param onBytes told of the source's compressed bytes as they are read, and of how many it has.
 * @throws TickhaulError; nothing of a failed conversion is left.
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
  const kept =
    job.existing === 'skip'
      ? await findUpToDateOutput(files, job, source, () => md5OfSource(files, job.source, signal), signal)
      : undefined;
  const result: ConvertFileResult =
    kept ?? (await convert(job, files, found, (count) => onBytes(count, bytes), signal));
  if (job.keepSource || (await removeIfUnchanged(files, job.source, found, signal))) return result;
  const warning = `${job.source}: it changed while it was converted, so it is kept`;
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
  const kernels = createKernels(found.bytes, job.spareProcessors);
  const input = { path: source, dataType, options, output, kernels };
  const read = (onText: TextSink): Promise<SourceContent> =>
    readUnchangedSource(files, source, found, onText, onBytes, signal);
  const { rows, bytes, note, warning } = await convertSource(input, read, signal);
  return { status: 'converted', rows, bytes, note, warning };
}
