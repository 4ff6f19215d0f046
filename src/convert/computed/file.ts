import { basename } from 'node:path';
import type { Day } from '../../dataset/day.js';
import type { ConvertOptions } from '../../format/options.js';
import type { TextSink } from '../../integrity/gunzip.js';
import type { ComputedType } from '../../market/names/data-type-name.js';
import type { FileFacts, Files, PartFile } from '../../store/files.js';
import type { FileResult } from '../file.js';
import { keptOutput } from '../output/kept.js';
import type { SourceBytes } from '../output/record.js';
import { lookAt, md5Of, readFound, removeSame } from '../source-file.js';
import { computeSource } from './conversion.js';

/** Computed types of one day file as plain data, so that a thread can be given it. Files are named by location. */
export interface ComputedJob {
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
  readonly noted: Readonly<Record<string, string>> | undefined;
}

/**
 * Makes those computed types of a file that weren't made from the very same source already.
 * @param onBytes told of the source's compressed bytes as they are read, and of how many it has.
 * @returns what became of each output, in their order.
 * @throws TickhaulError; of outputs that failed nothing is left.
 */
export async function computeFile(
  job: ComputedJob,
  files: Files,
  onBytes: (count: number, total: number) => void,
  signal: AbortSignal,
): Promise<readonly FileResult[]> {
  const found = await lookAt(files, job.source, signal);
  const results = new Map<ComputedTarget, FileResult>();
  if (job.existing === 'skip') {
    for (const [output, result] of await keptOutputs(job, files, found, signal)) results.set(output, result);
  }
  const missing = job.outputs.filter((output) => !results.has(output));
  const read = (onText: TextSink): Promise<SourceBytes> =>
    readFound(files, job.source, found, onText, (count) => onBytes(count, found.bytes), signal);
  const made = missing.length > 0 ? await compute(job, missing, files, read, signal) : [];
  for (const [i, result] of made.entries()) results.set(missing[i] as ComputedTarget, result);
  const isGone = job.keepSource || (await removeSame(files, job.source, found, signal));
  const warning = isGone ? undefined : `${job.source}: it changed while it was converted, so it is kept`;
  return job.outputs.map((output, i) => {
    const result = results.get(output) as FileResult;
    const warnings = [result.warning, i === 0 ? warning : undefined].filter(Boolean);
    return { ...result, warning: warnings.length > 0 ? warnings.join('; ') : undefined };
  });
}

async function keptOutputs(
  { source, outputs, options }: ComputedJob,
  files: Files,
  { bytes, etag }: FileFacts,
  signal: AbortSignal,
): Promise<Map<ComputedTarget, FileResult>> {
  const kept = new Map<ComputedTarget, FileResult>();
  let md5: Promise<string> | undefined;
  const md5Once = (): Promise<string> => {
    md5 ??= md5Of(files, source, signal);
    return md5;
  };
  for (const output of outputs) {
    const { target, type, noted } = output;
    const maybe = { target, dataType: type.name, options, noted };
    const made = { name: basename(source), bytes, etag };
    const result = await keptOutput(files, maybe, made, md5Once, signal);
    if (result) kept.set(output, result);
  }
  return kept;
}

async function compute(
  { source: path, dataType, day, options }: ComputedJob,
  wanted: readonly ComputedTarget[],
  files: Files,
  read: (onText: TextSink) => Promise<SourceBytes>,
  signal: AbortSignal,
): Promise<readonly FileResult[]> {
  const outputs: { readonly type: ComputedType; readonly file: PartFile }[] = [];
  try {
    for (const { type, target } of wanted) {
      outputs.push({ type, file: await files.openPart(target, undefined, signal) });
    }
  } catch (error) {
    for (const { file } of outputs) await file.discard();
    throw error;
  }
  const converted = await computeSource({ path, dataType, day, options, outputs }, read);
  return converted.map(({ rows, bytes, note, warning }) => ({
    status: 'converted',
    rows,
    bytes,
    note,
    warning,
  }));
}
