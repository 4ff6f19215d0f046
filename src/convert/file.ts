import type { Stats } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { diskError, isSystemError, TickhaulError } from '../base/errors.js';
import type { ConvertOptions } from '../format/options.js';
import { hashFile } from '../integrity/file-hash.js';
import { sourceError } from '../integrity/source.js';
import { convertSource } from './convert-source.js';
import { openPartFile } from './output/part-file.js';
import { isMadeFrom, OUTPUT_BYTES, rowsOf } from './output/record.js';
import { kernelsFor } from './threads/kernels.js';

/** One day file's conversion as plain data, so that a thread can be given it. */
export interface FileJob {
  readonly source: string;
  readonly target: string;
  /** Undefined where the header has to tell it. */
  readonly dataType: string | undefined;
  readonly options: ConvertOptions;
  readonly existing: 'skip' | 'overwrite';
  readonly keepSource: boolean;
  /** Processors that nothing else of the run uses. */
  readonly spare: number;
  /** Record of the output, where the format itself has no room for one. */
  readonly noted: Readonly<Record<string, string>> | undefined;
}

export interface FileResult {
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
  job: FileJob,
  onBytes: (count: number, total: number) => void,
  signal: AbortSignal,
): Promise<FileResult> {
  const found = await lookAt(job.source);
  const { size } = found;
  const kept = job.existing === 'skip' ? await keptOutput(job, size, signal) : undefined;
  const result = kept ?? (await convert(job, size, (count) => onBytes(count, size), signal));
  if (job.keepSource || (await removeSame(job.source, found))) return result;
  const warning = `${job.source}: it changed while it was converted, so it is kept`;
  return { ...result, warning: [result.warning, warning].filter(Boolean).join('; ') };
}

async function lookAt(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    throw sourceError(error, path);
  }
}

/** @returns false where another file stands there by now. */
async function removeSame(path: string, found: Stats): Promise<boolean> {
  const { ino, size, mtimeMs } = await lookAt(path);
  if (ino !== found.ino || size !== found.size || mtimeMs !== found.mtimeMs) return false;
  await rm(path).catch((error: unknown) => {
    throw diskError(error, path);
  });
  return true;
}

async function convert(
  job: FileJob,
  size: number,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<FileResult> {
  const { source, target, dataType, options } = job;
  const output = await openPartFile(target);
  const kernels = kernelsFor(size, job.spare);
  const input = { path: source, dataType, options, output, kernels };
  const { rows, bytes, note, warning } = await convertSource(input, onBytes, signal);
  return { status: 'converted', rows, bytes, note, warning };
}

/** The output that is there, where the same source gave it with the same options. */
async function keptOutput(
  { source, target, dataType, options, noted }: FileJob,
  bytes: number,
  signal: AbortSignal,
): Promise<FileResult | undefined> {
  const outputBytes = await stat(target).then(
    (found) => found.size,
    () => undefined,
  );
  if (outputBytes === undefined) return undefined;
  const pairs = options.format === 'parquet' ? await parquetRecord(target) : noted;
  if (!pairs) return undefined;
  // A Parquet file that is cut has no footer; of any other, the size tells.
  if (options.format !== 'parquet' && pairs[OUTPUT_BYTES] !== String(outputBytes)) return undefined;
  const isSame = await isMadeFrom(pairs, { name: basename(source), bytes }, dataType, options, () =>
    hashFile(source, 'md5', signal).catch((error: unknown) => {
      throw sourceError(error, source);
    }),
  );
  return isSame ? { status: 'skipped', rows: rowsOf(pairs), bytes: outputBytes } : undefined;
}

/** Undefined where no Parquet file is: it is made anew then, whatever stands there. */
async function parquetRecord(path: string): Promise<Readonly<Record<string, string>> | undefined> {
  const { readParquetFooter } = await import('../format/parquet/footer.js');
  try {
    return (await readParquetFooter(path)).keyValues;
  } catch (error) {
    if (error instanceof TickhaulError || isSystemError(error)) return undefined;
    throw error;
  }
}
