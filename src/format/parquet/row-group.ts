import type { Schema } from '../batch.js';
import type { Compression } from '../compression/compressor.js';
import type { EncodedBatch } from '../kernel/kernel-job.js';
import type { ChunkMetadata } from './column-chunk.js';
import type { ParquetColumnOptions } from './parquet-schema.js';

export interface ParquetOptions extends ParquetColumnOptions {
  readonly schema: Schema;
  readonly compression: Compression;
  readonly encodings?: 'plain' | undefined;
}

/** A batch as a row group. */
export interface EncodedRowGroup extends EncodedBatch {
  readonly columns: readonly ChunkMetadata[];
}
