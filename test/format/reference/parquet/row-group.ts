import type { Batch } from '../../../../src/format/batch.js';
import { ByteWriter } from '../../../../src/format/byte-writer.js';
import { loadCompressor } from '../../../../src/format/compressor.js';
import { type ParquetOptions, toParquetColumns } from '../../../../src/format/parquet/parquet-schema.js';
import type { EncodedRowGroup } from '../../../../src/format/parquet/parquet-writer.js';
import { writeColumnChunk } from './column-chunk.js';

/** Creates an encoder of batches to row groups; synchronous. */
export async function createReferenceEncoder(
  options: ParquetOptions,
): Promise<(batch: Batch) => EncodedRowGroup> {
  const compress = await loadCompressor(options.compression);
  const columns = toParquetColumns(options.schema, options);
  let capacity = 65_536;
  return ({ rows, columns: data }) => {
    const out = new ByteWriter(capacity);
    const chunks = columns.map((column, i) => {
      const values = data[i];
      if (!values) throw new Error(`column ${column.name}: not in the batch`);
      return writeColumnChunk(out, values, column, { rows, numbers: options.numbers, compress });
    });
    // The next group will have about the same size.
    capacity = out.bytes.length;
    return { rows, bytes: out.written(), columns: chunks };
  };
}
