import type { BatchKernel, KernelJob } from './kernel-job.js';

export { type BatchKernel, type EncodedBatch, type KernelJob, PIECE_CAPACITY_BYTES } from './kernel-job.js';

/**
 * Creates the kernel for a job's format. Its modules are loaded here, so that its methods can be synchronous.
 */
export async function createBatchKernel(job: KernelJob): Promise<BatchKernel> {
  if (job.options.format === 'ndjson') {
    const { createNdjsonKernel } = await import('./ndjson-kernel.js');
    return createNdjsonKernel(job);
  }
  const { createRowGroupKernel } = await import('./row-group-kernel.js');
  return createRowGroupKernel(job);
}
