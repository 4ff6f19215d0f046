import { basename } from 'node:path';
import type { Day } from '../../dataset/day.js';
import type { ConvertOptions } from '../../format/convert-options.js';
import type { TextSink } from '../../integrity/gunzip.js';
import type { ComputedType } from '../../market/names/data-type-name.js';
import type { Files, PartFile, StoredFileInfo } from '../../store/files.js';
import type { ConvertFileResult } from '../convert-file.js';
import type { SourceContent } from '../output/provenance.js';
import { findUpToDateOutput } from '../output/up-to-date-output.js';
import { md5OfSource, readUnchangedSource, removeIfUnchanged, statSource } from '../source-file.js';
import { convertSourceToComputed } from './computed-conversion.js';

/** Computed types of one day file as plain data, so that a thread can be given it. Files are named by location. */
export interface ComputedFileJob {
  readonly source: string;
  readonly outputs: readonly ComputedTarget[];
  /** Undefined where the header has to tell it. */
  readonly dataType: string | undefined;
  /** Undefined where the rows have to tell it. */
  readonly day: Day | undefined;
  readonly options: ConvertOptions;
  readonly existing: 'skip' | 'overwrite';
  readonly keepSource: boolean;
}

export interface ComputedTarget {
  readonly type: ComputedType;
  readonly target: string;
  /** Record of the output, where the format itself has no room for one. */
  readonly provenance: Readonly<Record<string, string>> | undefined;
}

/**
 * Makes those computed types of a file that weren't made from the very same source already.
 * @param onBytes told of the source's compressed bytes as they are read, and of how many it has.
 * @returns what became of each output, in their order.
 * @throws TickhaulError; of outputs that failed nothing is left.
 */
export async function convertFileToComputed(
  job: ComputedFileJob,
  files: Files,
  onBytes: (count: number, total: number) => void,
  signal: AbortSignal,
): Promise<readonly ConvertFileResult[]> {
  const found = await statSource(files, job.source, signal);
  const results = new Map<ComputedTarget, ConvertFileResult>();
  if (job.existing === 'skip') {
    for (const [output, result] of await findUpToDateOutputs(job, files, found, signal))
      results.set(output, result);
  }
  const missing = job.outputs.filter((output) => !results.has(output));
  const read = (onText: TextSink): Promise<SourceContent> =>
    readUnchangedSource(files, job.source, found, onText, (count) => onBytes(count, found.bytes), signal);
  const made = missing.length > 0 ? await convertOutputs(job, missing, files, read, signal) : [];
  for (const [i, result] of made.entries()) results.set(missing[i] as ComputedTarget, result);
  const isGone = job.keepSource || (await removeIfUnchanged(files, job.source, found, signal));
  const warning = isGone ? undefined : `${job.source}: it changed while it was converted, so it is kept`;
  return job.outputs.map((output, i) => {
    const result = results.get(output) as ConvertFileResult;
    const warnings = [result.warning, i === 0 ? warning : undefined].filter(Boolean);
    return { ...result, warning: warnings.length > 0 ? warnings.join('; ') : undefined };
  });
}

async function findUpToDateOutputs(
  { source, outputs, options }: ComputedFileJob,
  files: Files,
  { bytes, etag }: StoredFileInfo,
  signal: AbortSignal,
): Promise<Map<ComputedTarget, ConvertFileResult>> {
  const kept = new Map<ComputedTarget, ConvertFileResult>();
  let md5: Promise<string> | undefined;
  const md5Once = (): Promise<string> => {
    md5 ??= md5OfSource(files, source, signal);
    return md5;
  };
  for (const output of outputs) {
    const { target, type, provenance } = output;
    const maybe = { target, dataType: type.name, options, provenance };
    const made = { name: basename(source), bytes, etag };
    const result = await findUpToDateOutput(files, maybe, made, md5Once, signal);
    if (result) kept.set(output, result);
  }
  return kept;
}

async function convertOutputs(
  { source: path, dataType, day, options }: ComputedFileJob,
  wanted: readonly ComputedTarget[],
  files: Files,
  read: (onText: TextSink) => Promise<SourceContent>,
  signal: AbortSignal,
): Promise<readonly ConvertFileResult[]> {
  const outputs: { readonly type: ComputedType; readonly file: PartFile }[] = [];
  try {
    for (const { type, target } of wanted) {
      outputs.push({ type, file: await files.openPart(target, undefined, signal) });
    }
  } catch (error) {
    for (const { file } of outputs) await file.discard();
    throw error;
  }
  const converted = await convertSourceToComputed({ path, dataType, day, options, outputs }, read);
  return converted.map(({ rows, bytes, note, warning }) => ({
    status: 'converted',
    rows,
    bytes,
    note,
    warning,
  }));
}
