import type { Batch } from '../../batch.js';
import type { Compress } from '../../compression/compress.js';
import { loadCompressor } from '../../compression/compressor.js';
import { ByteWriter } from '../../parquet/byte-writer.js';
import { writeColumnChunk } from '../../parquet/column-chunk.js';
import { type ParquetColumn, toParquetColumns } from '../../parquet/parquet-schema.js';
import type { EncodedRowGroup, ParquetOptions } from '../../parquet/row-group.js';
import { ColumnMemory } from '../column-memory.js';
import { ColumnEncoder } from './column-encoder.js';

/** Makes the batch of a memory a row group: pure work for the processor, synchronous. */
export class RowGroupEncoder {
  readonly #memory: ColumnMemory;
  readonly #columns: readonly ParquetColumn[];
  readonly #encoder: ColumnEncoder;
  readonly #compress: Compress;
  /** In turns, so that the bytes of one group may be written while the next is made; other threads may write them. */
  readonly #outs = [createSharedWriter(), createSharedWriter()] as const;
  #turn = 0;

  /** @param memory its columns must be open, and have the digits of numbers where these are to be text. */
  constructor(memory: ColumnMemory, options: ParquetOptions, compress: Compress) {
    this.#memory = memory;
    this.#columns = toParquetColumns(options.schema, options);
    this.#encoder = new ColumnEncoder(memory, options.numbers);
    this.#compress = compress;
  }

  /** Takes the batch out of the memory. The bytes stay until the call after the next one. */
  encode(): EncodedRowGroup {
    const { rows } = this.#memory;
    const out = this.#outs[this.#turn % 2] as ByteWriter;
    this.#turn++;
    out.length = 0;
    const chunks = this.#columns.map((column, i) =>
      writeColumnChunk(out, this.#encoder.encode(i, column), rows, this.#compress),
    );
    this.#memory.clear();
    return { rows, bytes: out.written(), columns: chunks };
  }

  /** As `encode`, with bytes that stay for good; those of other groups stay no shorter for it. */
  encodeCopy(): EncodedRowGroup {
    const encoded = this.encode();
    this.#turn--;
    return { ...encoded, bytes: encoded.bytes.slice() };
  }
}

/** Gives the function that makes a batch a row group, whose bytes stay until the call after the next one. */
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
