import type { Batch, Schema } from '../columns.js';
import { type Compression, loadCompressor } from '../compression/compressor.js';
import { ByteWriter } from './bytes.js';
import { type ChunkMetadata, writeColumnChunk } from './column-chunk.js';
import { type ColumnOptions, parquetColumns } from './schema.js';

export interface ParquetOptions extends ColumnOptions {
  readonly schema: Schema;
  readonly compression: Compression;
}

/** One row group, encoded and compressed: plain data, so it may come from another thread (transfer `bytes.buffer`). */
export interface EncodedRowGroup {
  readonly rows: number;
  readonly bytes: Uint8Array;
  readonly columns: readonly ChunkMetadata[];
}

/** Gives the function that makes a batch a row group: pure work for the processor, synchronous. */
export async function createRowGroupEncoder(
  options: ParquetOptions,
): Promise<(batch: Batch) => EncodedRowGroup> {
  const compress = await loadCompressor(options.compression);
  const columns = parquetColumns(options.schema, options);
  let capacity = 65_536;
  return ({ rows, columns: data }) => {
    const out = new ByteWriter(capacity);
    const chunks = columns.map((column, i) => {
      const values = data[i];
      if (!values) throw new Error(`column ${column.name}: not in the batch`);
      return writeColumnChunk(out, values, column, { rows, numbers: options.numbers, compress });
    });
    // The next group will be about as large.
    capacity = out.bytes.length;
    return { rows, bytes: out.written(), columns: chunks };
  };
}
