import { basename } from 'node:path';
import { abortReason } from '../base/errors.js';
import type { OutputOptions } from '../format/output-format.js';
import { hashFile } from '../gzip/checksums.js';
import type { TextSink } from '../gzip/gunzip.js';
import { type GzipReadOptions, readSource, toSourceError } from '../gzip/read-source.js';
import type { Files, StoredFileInfo } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import { createReadAhead, statSource } from '../store/open-files.js';
import {
  type ConversionInput,
  type ConversionResult,
  type NextSource,
  startConversion,
} from './conversion.js';
import { findUpToDateOutput } from './existing-outputs.js';
import type { SourceContent } from './provenance.js';
import { createKernels, planThreads } from './threads/kernel-pool.js';

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
  const sources = [{ name: basename(job.source), bytes, etag }];
  const upToDate =
    job.existing === 'skip'
      ? await findUpToDateOutput(files, job, sources, () => hashSource(files, job.source, signal), signal)
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
    readUnchangedSource(files, source, found, {
      onText,
      onBytes,
      inflateThreads: plan.inflateThreads,
      signal,
    });
  const { rows, bytes, provenance, warning } = await convertSources(
    input,
    [{ path: source, dataType, read }],
    signal,
  );
  return { status: 'converted', rows, bytes, provenance, warning };
}

/** Receives text. The chunk may be reused when the promise resolves. */
export type OnText = (text: Uint8Array) => Promise<void>;

/** A source, and how to read it. */
export interface ReadableSource extends NextSource {
  /** Passes the text of the file to `onText`. */
  readonly read: (onText: OnText) => Promise<SourceContent>;
}

/**
 * Converts one file, or several after each other.
 * @param input names the first file.
 * @throws errors of `read` and `startConversion`. An error in the text that was read takes precedence over an
 * error of `read`.
 */
export async function convertSources(
  input: ConversionInput,
  sources: readonly ReadableSource[],
  signal: AbortSignal,
): Promise<ConversionResult> {
  const conversion = startConversion(input);
  const stop = (): void => conversion.stop(abortReason(signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    let ended: SourceContent | undefined;
    for (const source of sources) {
      if (ended) await conversion.nextSource(ended, source);
      ended = await source
        .read((text) => conversion.write(text))
        .catch(async (error: unknown) => {
          await conversion.drain();
          throw error;
        });
    }
    return await conversion.finish(ended as SourceContent);
  } finally {
    signal.removeEventListener('abort', stop);
    await conversion.abort();
  }
}

export interface SourceReading extends Pick<GzipReadOptions, 'onText' | 'inflateThreads'> {
  /** Called with the number of compressed bytes just read. */
  readonly onBytes: (count: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Reads a source to its end. The result has the ETag if the object did not change during the read.
 * @param found result of `statSource` before the read.
 * @throws as `readSource` does.
 */
export async function readUnchangedSource(
  files: Files,
  path: string,
  found: StoredFileInfo,
  { onText, onBytes, inflateThreads, signal }: SourceReading,
): Promise<SourceContent> {
  const read = inflateThreads && isObjectLocation(path) ? createReadAhead(files) : files.read;
  const onChunk = (chunk: Buffer): void => onBytes(chunk.length);
  const content = await readSource(path, { hashes: ['md5'], onChunk, onText, read, inflateThreads, signal });
  const { etag } = found;
  if (etag === undefined) return content;
  return (await files.stat(path, signal))?.etag === etag ? { ...content, etag } : content;
}

/**
 * Removes a source after its conversion.
 * @param found result of `statSource` before the conversion.
 * @returns false if the file has changed since; then it is kept.
 */
export async function removeIfUnchanged(
  files: Files,
  path: string,
  found: StoredFileInfo,
  signal: AbortSignal,
): Promise<boolean> {
  const { bytes, etag, version } = await statSource(files, path, signal);
  if (bytes !== found.bytes || etag !== found.etag || version !== found.version) return false;
  await files.remove(path, signal);
  return true;
}

/** @throws TickhaulError `unreadable`, errors of the store. */
export function hashSource(files: Files, path: string, signal: AbortSignal): Promise<string> {
  return hashFile(path, 'md5', { read: files.read, signal }).catch((error: unknown) => {
    throw toSourceError(error, path);
  });
}
