import type { Batch } from '../../batch.js';
import type { Compress } from '../../compression/compress.js';
import { loadCompressor } from '../../compression/compressor.js';
import { type ColumnBatchEncoder, createColumnEncoder } from '../../kernel/column-kernel.js';
import type { ColumnMemory } from '../../kernel/column-memory.js';
import { writeColumnChunk } from '../column-chunk.js';
import { toParquetColumns } from '../parquet-schema.js';
import type { EncodedRowGroup, ParquetOptions } from '../row-group.js';
import { ColumnEncoder } from './column-encoder.js';

/**
 * Creates an encoder of a memory's batches to row groups.
 * @param memory its columns must be open, with the text of numbers if `options.numbers` is `string`.
 */
export function createRowGroupEncoder(
  memory: ColumnMemory,
  options: ParquetOptions,
  compress: Compress,
): ColumnBatchEncoder<EncodedRowGroup> {
  const columns = toParquetColumns(options.schema, options);
  const encoder = new ColumnEncoder(memory, options);
  return (out) => {
    const { rows } = memory;
    out.length = 0;
    const chunks = columns.map((column, i) =>
      writeColumnChunk(out, encoder.encode(i, column), rows, compress),
    );
    memory.clear();
    return { rows, bytes: out.written(), columns: chunks };
  };
}

/** Creates an encoder of batches to row groups. The bytes are valid until the next call. */
export async function createBatchRowGroupEncoder(
  options: ParquetOptions,
): Promise<(batch: Batch) => EncodedRowGroup> {
  const compress = await loadCompressor(options.compression);
  return createColumnEncoder(options.schema, options.numbers, (memory) =>
    createRowGroupEncoder(memory, options, compress),
  );
}
