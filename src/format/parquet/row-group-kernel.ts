import { loadCompressor } from '../compression/compressor.js';
import { COLUMN_BATCHES } from '../kernel/batch-limits.js';
import { createColumnKernel } from '../kernel/column-kernel.js';
import type { BatchKernel, KernelJob } from '../kernel/kernel-job.js';
import { createRowGroupEncoder } from './encode/row-group-encoder.js';
import type { ParquetOptions } from './row-group.js';

/** Converts CSV text to Parquet row groups. */
export async function createRowGroupKernel(job: KernelJob, options: ParquetOptions): Promise<BatchKernel> {
  const compress = await loadCompressor(options.compression);
  return createColumnKernel(job, COLUMN_BATCHES, (memory) =>
    createRowGroupEncoder(memory, options, compress),
  );
}
