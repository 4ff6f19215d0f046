import { OUTPUT_FORMATS } from '../output-formats.js';
import type { BatchKernel, KernelJob } from './kernel-job.js';

export { type BatchKernel, type EncodedBatch, type KernelJob, PIECE_CAPACITY_BYTES } from './kernel-job.js';

/**
 * Creates the kernel for a job's format. Its modules are loaded here, so that its methods can be synchronous.
 */
export async function createBatchKernel(job: KernelJob): Promise<BatchKernel> {
  const format = OUTPUT_FORMATS[job.options.format];
  if (format.createKernel) return format.createKernel(job);
  const { createEncoderKernel } = await import('./column-kernel.js');
  return createEncoderKernel(job, format);
}
