import type { Files } from '../store/files.js';
import type { ComputedJob } from './computed/file.js';
import { convertFile, type FileJob, type FileResult } from './file.js';

/** What one thread does with one source at a time: its rows to one output, or computed types of it to several. */
export type ConvertJob = FileJob | ComputedJob;

/** Does a job as `convertFile` and `computeFile` do; gives what became of each output, in their order. */
export async function runJob(
  job: ConvertJob,
  files: Files,
  onBytes: (count: number, total: number) => void,
  signal: AbortSignal,
): Promise<readonly FileResult[]> {
  if (!('outputs' in job)) return [await convertFile(job, files, onBytes, signal)];
  const { computeFile } = await import('./computed/file.js');
  return computeFile(job, files, onBytes, signal);
}
