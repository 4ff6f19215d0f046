import { plural } from '../../base/units.js';
import { type ColumnBatchEncoder, createColumnKernel } from '../columns/column-kernel.js';
import type { ColumnMemory } from '../columns/column-memory.js';
import { type Compress, loadCompressor } from '../compressor.js';
import type { BatchKernel, KernelJob } from '../output-format.js';
import { encodeBooleans, encodeLongs, encodeNumbers } from './encode-numbers.js';
import {
  type EncodableValues,
  encodeTextDictionary,
  encodeTexts,
  maxHybridBytes,
  Scratch,
} from './encode-texts.js';
import { type ParquetColumn, type ParquetOptions, toParquetColumns } from './parquet-schema.js';
import { type EncodedRowGroup, type EncodedValues, writeColumnChunk } from './parquet-writer.js';

/** Converts CSV text to Parquet row groups. */
export async function createRowGroupKernel(job: KernelJob, options: ParquetOptions): Promise<BatchKernel> {
  const compress = await loadCompressor(options.compression);
  return createColumnKernel(job, (memory) => createRowGroupEncoder(memory, options, compress));
}

/**
 * Creates an encoder of a memory's batches to row groups.
 * @param memory its columns must be open, with the text of numbers if `options.numbers` is `string`.
 */
function createRowGroupEncoder(
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

/**
 * Encodes the columns of a memory's batch, in place: each once, and the batch is invalid afterwards. It uses
 * only encodings that DuckDB, Polars, pyarrow, Spark and hyparquet all read. BYTE_STREAM_SPLIT, which would
 * suit doubles, is not one of them.
 */
class ColumnEncoder {
  readonly #memory: ColumnMemory;
  readonly #scratch: Scratch;
  readonly #numbers: 'double' | 'string';
  readonly #isPlain: boolean;

  constructor(memory: ColumnMemory, { numbers, encodings }: Pick<ParquetOptions, 'numbers' | 'encodings'>) {
    this.#memory = memory;
    this.#scratch = new Scratch(memory);
    this.#numbers = numbers;
    this.#isPlain = encodings === 'plain';
  }

  /** @param index index of the column in the memory's schema. */
  encode(index: number, column: ParquetColumn): EncodedValues {
    const { kernel } = this.#memory;
    const nullCount = kernel.getNullCount(index);
    if (column.required && nullCount > 0) {
      throw new Error(`column ${column.name} has ${plural(nullCount, 'empty cell')}, but is required`);
    }
    const nulls = nullCount > 0 ? kernel.getNulls(index) >>> 0 : undefined;
    const values = this.#encodeValues(index, nulls);
    const { encoding, dictionary, valueSize, bounds } = values;
    let written = 0;
    return {
      encoding,
      dictionary,
      valueSize,
      statistics: { nullCount, bounds },
      page: (start, end) => {
        const empty = nulls === undefined ? 0 : kernel.countOnes(nulls + start, end - start);
        const from = written;
        written += end - start - empty;
        const levels = column.required ? undefined : { start, end, nulls };
        return this.#writePage(levels, values, from, written);
      },
    };
  }

  #writePage(
    levels: { readonly start: number; readonly end: number; readonly nulls: number | undefined } | undefined,
    values: EncodableValues,
    start: number,
    end: number,
  ): Uint8Array {
    const { kernel } = this.#memory;
    const rows = levels ? levels.end - levels.start : 0;
    const widened = levels?.nulls === undefined ? 0 : this.#scratch.levels.at(4 * rows);
    const from = this.#scratch.body.at(4 + maxHybridBytes(rows, 1) + values.room(start, end));
    let to = from;
    if (levels?.nulls !== undefined) {
      kernel.widenBits(levels.nulls + levels.start, widened, rows, 1);
      to = kernel.writeSizedBits(to, widened, 0, rows) >>> 0;
    } else if (levels) to = kernel.writeSizedOnes(to, rows) >>> 0;
    to = values.write(to, start, end) >>> 0;
    return this.#memory.bytes.subarray(from, to);
  }

  /** @param nulls address of the nulls, if there are any; they are removed from the values. */
  #encodeValues(index: number, nulls: number | undefined): EncodableValues {
    const memory = this.#memory;
    const scratch = this.#scratch;
    const { kernel, rows } = memory;
    const kind = memory.schema[index]?.kind;
    const lane = kernel.getLane(index) >>> 0;
    const drop = (width: number): number =>
      nulls === undefined ? rows : kernel.dropNulls(lane, nulls, rows, width);
    if (kind === 'boolean') return encodeBooleans(memory, scratch, lane, drop(1), this.#isPlain);
    if (kind === 'time' || kind === 'integer')
      return encodeLongs(memory, scratch, lane, drop(8), this.#isPlain);
    if (kind === 'number' && this.#numbers === 'double') return encodeNumbers(memory, scratch, lane, drop(8));
    const texts = memory.getTexts(index);
    if (kind === 'text' && !kernel.isPlain(index)) {
      drop(4);
      return encodeTextDictionary(memory, scratch, texts, lane);
    }
    if (texts.count !== rows) throw new Error('the text of numbers is missing');
    const count = nulls === undefined ? rows : kernel.dropNullTexts(texts.offsets, nulls, rows);
    return encodeTexts(memory, scratch, { ...texts, count }, this.#isPlain);
  }
}
