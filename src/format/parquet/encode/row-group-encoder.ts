import type { Batch } from '../../batch.js';
import { ByteWriter } from '../../byte-writer.js';
import type { Compress } from '../../compression/compress.js';
import { loadCompressor } from '../../compression/compressor.js';
import { ColumnMemory } from '../../kernel/column-memory.js';
import { writeColumnChunk } from '../column-chunk.js';
import { type ParquetColumn, toParquetColumns } from '../parquet-schema.js';
import type { EncodedRowGroup, ParquetOptions } from '../row-group.js';
import { ColumnEncoder } from './column-encoder.js';

/** Encodes the batch of a memory as a row group, synchronously. */
export class RowGroupEncoder {
  readonly #memory: ColumnMemory;
  readonly #columns: readonly ParquetColumn[];
  readonly #encoder: ColumnEncoder;
  readonly #compress: Compress;
  /**
   * Used in turns, so that one group can be written while the next is encoded. Shared, so that any thread can
   * write.
   */
  readonly #writers = [createSharedWriter(), createSharedWriter()] as const;
  #groupCount = 0;

  /** @param memory its columns must be open, with the text of numbers if `options.numbers` is `string`. */
  constructor(memory: ColumnMemory, options: ParquetOptions, compress: Compress) {
    this.#memory = memory;
    this.#columns = toParquetColumns(options.schema, options);
    this.#encoder = new ColumnEncoder(memory, options.numbers);
    this.#compress = compress;
  }

  /** Encodes and removes the batch. The bytes are valid until the call after the next one. */
  encode(): EncodedRowGroup {
    const { rows } = this.#memory;
    const out = this.#writers[this.#groupCount % 2] as ByteWriter;
    this.#groupCount++;
    out.length = 0;
    const chunks = this.#columns.map((column, i) =>
      writeColumnChunk(out, this.#encoder.encode(i, column), rows, this.#compress),
    );
    this.#memory.clear();
    return { rows, bytes: out.written(), columns: chunks };
  }

  /** Like `encode`, with bytes that stay valid. It does not shorten the validity of other groups' bytes. */
  encodeCopy(): EncodedRowGroup {
    const encoded = this.encode();
    this.#groupCount--;
    return { ...encoded, bytes: encoded.bytes.slice() };
  }
}

/** Creates an encoder of batches to row groups. The bytes are valid until the call after the next one. */
export async function createRowGroupEncoder(
  options: ParquetOptions,
): Promise<(batch: Batch) => EncodedRowGroup> {
  const compress = await loadCompressor(options.compression);
  const memory = new ColumnMemory();
  memory.open(options.schema, 1024, options.numbers === 'string');
  const encoder = new RowGroupEncoder(memory, options, compress);
  return (batch) => {
    memory.load(batch);
    return encoder.encode();
  };
}

function createSharedWriter(): ByteWriter {
  return new ByteWriter(65_536, (bytes) => new Uint8Array(new SharedArrayBuffer(bytes)));
}
