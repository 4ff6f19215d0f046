import type { Compress } from '../../compression/compress.js';
import type { ColumnBatchEncoder } from '../../kernel/column-kernel.js';
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
