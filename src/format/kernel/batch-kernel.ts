import { OUTPUT_FORMATS } from '../output-formats.js';
import type { BatchKernel, KernelJob } from './kernel-job.js';

export { type BatchKernel, type EncodedBatch, type KernelJob, PIECE_CAPACITY_BYTES } from './kernel-job.js';

/**
 * Creates the kernel for a job's format. Its modules are loaded here, so that its methods can be synchronous.
 */
export function createBatchKernel(job: KernelJob): Promise<BatchKernel> {
  return OUTPUT_FORMATS[job.options.format].createKernel(job);
}
