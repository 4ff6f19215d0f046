import { rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { diskError, isSystemError, TickhaulError } from '../errors.js';
import { type Conversion, startConversion } from './conversion.js';
import { encoderFor } from './encoder-thread.js';
import type { ConvertOptions } from './options.js';
import { readParquetFooter } from './parquet/index.js';
import { openPartFile } from './part-file.js';
import { isMadeFrom, rowsOf } from './record.js';
import { md5Of, readSource } from './source.js';

/** One day file's conversion as plain data, so that a thread can be given it. */
export interface FileJob {
  readonly source: string;
  readonly target: string;
  /** Undefined where the header has to tell it. */
  readonly dataType: string | undefined;
  readonly options: ConvertOptions;
  readonly existing: 'skip' | 'overwrite';
  readonly keepSource: boolean;
  /** Whether a processor is free to encode while another parses. */
  readonly spareThread: boolean;
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
 * @param onBytes told of the source's compressed bytes as they are read.
 * @throws TickhaulError; nothing of a failed conversion is left.
 */
export async function convertFile(
  job: FileJob,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<FileResult> {
  const size = await sizeOf(job.source);
  const kept = job.existing === 'skip' ? await keptOutput(job, size, signal) : undefined;
  const result = kept ?? (await convert(job, size, onBytes, signal));
  if (!job.keepSource) {
    await rm(job.source).catch((error: unknown) => {
      throw diskError(error, job.source);
    });
  }
  return result;
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    throw diskError(error, path);
  }
}

async function convert(
  job: FileJob,
  size: number,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<FileResult> {
  const { source, target, dataType, options } = job;
  const output = await openPartFile(target);
  const conversion: Conversion = startConversion({
    path: source,
    dataType,
    options,
    output,
    openEncoder: encoderFor(size, job.spareThread),
  });
  try {
    const read = await readSource(source, (text) => conversion.write(text), onBytes, signal);
    const { rows, bytes, note, warning } = await conversion.finish(read);
    return { status: 'converted', rows, bytes, note, warning };
  } finally {
    await conversion.abort();
  }
}

/** The output that is there, where the same source gave it with the same options. */
async function keptOutput(
  { source, target, dataType, options, noted }: FileJob,
  bytes: number,
  signal: AbortSignal,
): Promise<FileResult | undefined> {
  const pairs = options.format === 'parquet' ? await parquetRecord(target) : noted;
  if (!pairs) return undefined;
  const outputBytes = await stat(target).then(
    (found) => found.size,
    () => undefined,
  );
  if (outputBytes === undefined) return undefined;
  const isSame = await isMadeFrom(pairs, { name: basename(source), bytes }, dataType, options, () =>
    md5Of(source, signal),
  );
  return isSame ? { status: 'skipped', rows: rowsOf(pairs), bytes: outputBytes } : undefined;
}

/** Undefined where no Parquet file is: it is made anew then, whatever stands there. */
async function parquetRecord(path: string): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    return (await readParquetFooter(path)).keyValues;
  } catch (error) {
    if (error instanceof TickhaulError || isSystemError(error)) return undefined;
    throw error;
  }
}
