import type { Schema } from '../batch.js';
import type { Compression } from '../compression/compressor.js';
import type { ChunkMetadata } from './column-chunk.js';
import type { ParquetColumnOptions } from './parquet-schema.js';

export interface ParquetOptions extends ParquetColumnOptions {
  readonly schema: Schema;
  readonly compression: Compression;
}

/** An encoded and compressed row group. Plain data, which can be posted to another thread. */
export interface EncodedRowGroup {
  readonly rows: number;
  readonly bytes: Uint8Array;
  readonly columns: readonly ChunkMetadata[];
}
