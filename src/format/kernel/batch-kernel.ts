import type { BatchKernel, KernelJob } from './types.js';

export { type BatchKernel, type Encoded, type KernelJob, PIECE_ROOM } from './types.js';

/** The kernel for a job's format; what it takes is loaded here, so that its work can be synchronous. */
export async function createBatchKernel(job: KernelJob): Promise<BatchKernel> {
  if (job.options.format === 'ndjson') {
    const { createNdjsonKernel } = await import('./ndjson-kernel.js');
    return createNdjsonKernel(job);
  }
  const { createRowGroupKernel } = await import('./row-group-kernel.js');
  return createRowGroupKernel(job);
}
