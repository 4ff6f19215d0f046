import { basename } from 'node:path';
import type { Day } from '../../day-files/day.js';
import type { OutputOptions } from '../../format/output-format.js';
import type { TextSink } from '../../gzip/gunzip.js';
import { barRulesOf, type ComputedType } from '../../market/message-type-name.js';
import type { Files, PartFile, StoredFileInfo } from '../../store/files.js';
import { statSource } from '../../store/open-files.js';
import {
  type ConvertFileResult,
  hashSource,
  readUnchangedSource,
  removeIfUnchanged,
} from '../convert-file.js';
import { findUpToDateOutput } from '../existing-outputs.js';
import type { SourceContent } from '../provenance.js';
import { convertSourceToComputed } from './computed-conversion.js';

/**
 * Computed types of one day file as plain data, which can be posted to a thread. Files are named by location.
 */
export interface ComputedFileJob {
  readonly source: string;
  readonly outputs: readonly ComputedTarget[];
  /** Undefined if it must be read from the header. */
  readonly dataType: string | undefined;
  /** Undefined if it must be found from the rows. */
  readonly day: Day | undefined;
  readonly options: OutputOptions;
  readonly existing: 'skip' | 'overwrite';
  readonly keepSource: boolean;
  /** Processors that nothing else in the run uses. */
  readonly spareProcessors: number;
}

export interface ComputedTarget {
  readonly type: ComputedType;
  readonly target: string;
  /** Provenance record of an existing output whose format has no metadata. */
  readonly provenance: Readonly<Record<string, string>> | undefined;
}

/**
 * Computes the types of a file that are not up to date.
 * @param onBytes called with the number of compressed bytes just read, and the size of the source.
 * @returns the results of the outputs, in their order.
 * @throws TickhaulError; failed outputs are not left behind.
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
  const onRead = (count: number): void => onBytes(count, found.bytes);
  const inflateThreads = job.spareProcessors < 1 ? 0 : undefined;
  const read = (onText: TextSink): Promise<SourceContent> =>
    readUnchangedSource(files, job.source, found, { onText, onBytes: onRead, inflateThreads, signal });
  const converted = missing.length > 0 ? await convertOutputs(job, missing, files, read, signal) : [];
  for (const [i, result] of converted.entries()) results.set(missing[i] as ComputedTarget, result);
  const isHandled = job.keepSource || (await removeIfUnchanged(files, job.source, found, signal));
  const warning = isHandled ? undefined : `${job.source}: changed during the conversion; keeping it`;
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
  const upToDate = new Map<ComputedTarget, ConvertFileResult>();
  let md5: Promise<string> | undefined;
  const md5Once = (): Promise<string> => {
    md5 ??= hashSource(files, source, signal);
    return md5;
  };
  for (const output of outputs) {
    const { target, type, provenance } = output;
    const all = { ...options, ...barRulesOf(type) };
    const candidate = { target, dataType: type.name, options: all, provenance };
    const identity = { name: basename(source), bytes, etag };
    const result = await findUpToDateOutput(files, candidate, [identity], md5Once, signal);
    if (result) upToDate.set(output, result);
  }
  return upToDate;
}

async function convertOutputs(
  { source: path, dataType, day, options }: ComputedFileJob,
  targets: readonly ComputedTarget[],
  files: Files,
  read: (onText: TextSink) => Promise<SourceContent>,
  signal: AbortSignal,
): Promise<readonly ConvertFileResult[]> {
  const outputs: { readonly type: ComputedType; readonly file: PartFile }[] = [];
  try {
    for (const { type, target } of targets) {
      outputs.push({ type, file: await files.openPart(target, undefined, signal) });
    }
  } catch (error) {
    for (const { file } of outputs) await file.discard();
    throw error;
  }
  const { converted } = await convertSourceToComputed({ path, dataType, day, options, outputs }, read);
  return converted.map(({ rows, bytes, provenance, warning }) => ({
    status: 'converted',
    rows,
    bytes,
    provenance,
    warning,
  }));
}
