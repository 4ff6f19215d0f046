import type { Files } from '../store/files.js';
import type { ComputedFileJob } from './computed/computed-file.js';
import { type ConvertFileJob, type ConvertFileResult, convertFile } from './convert-file.js';

/** Work of a thread on one source: its rows to one output, or computed types to several. */
export type ConvertJob = ConvertFileJob | ComputedFileJob;

/** Bytes of a job that were just read, and the size of its source. */
export type ConvertedBytes = readonly [count: number, total: number];

/** Event of a thread: bytes that it read, or rows of a `ComputeJob`. */
export type ConvertEvent = ConvertedBytes | Uint8Array;

/**
 * Runs a job with `convertFile` or `convertFileToComputed`.
 * @returns the results of the outputs, in their order.
 */
export async function runConvertJob(
  job: ConvertJob,
  files: Files,
  onBytes: (count: number, total: number) => void,
  signal: AbortSignal,
): Promise<readonly ConvertFileResult[]> {
  if (!('outputs' in job)) return [await convertFile(job, files, onBytes, signal)];
  const { convertFileToComputed } = await import('./computed/computed-file.js');
  return convertFileToComputed(job, files, onBytes, signal);
}
