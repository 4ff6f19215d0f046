import type { ColumnData } from '../../../../src/format/batch.js';
import { ByteWriter } from '../../../../src/format/byte-writer.js';
import type { Compress } from '../../../../src/format/compressor.js';
import {
  Encoding,
  type EncodingId,
  type ParquetColumn,
} from '../../../../src/format/parquet/parquet-schema.js';
import {
  type ChunkMetadata,
  writeDataPage,
  writeDictionaryPage,
} from '../../../../src/format/parquet/parquet-writer.js';
import { denseColumn } from './dense.js';
import { writeRun } from './encodings/rle.js';
import { statisticsOf } from './statistics.js';
import { type EncodedValues, encodeValues, writeSizedRle } from './values.js';

const PAGE_ROWS = 131_072;
const PAGE_BYTES = 1_048_576;

/** Encodes and compresses one column of a batch, and appends it to the row group's bytes. */
export function writeColumnChunk(
  out: ByteWriter,
  data: ColumnData,
  column: ParquetColumn,
  { rows, numbers, compress }: { rows: number; numbers: 'double' | 'string'; compress: Compress },
): ChunkMetadata {
  if (column.required && data.nullCount > 0) {
    throw new Error(`column ${column.name}: ${data.nullCount} empty cells where none may be`);
  }
  const encoded = encodeValues(denseColumn(data, numbers));
  const offset = out.length;
  let uncompressedSize = encoded.dictionary ? writeDictionaryPage(out, encoded.dictionary, compress) : 0;
  const dataPageOffset = out.length;
  for (const page of pages(encoded, rows, column.required ? undefined : levelsOf(data, rows))) {
    uncompressedSize += writeDataPage(out, { ...page, encoding: encoded.encoding }, compress);
  }
  return {
    encodings: encodingsOf(encoded),
    offset,
    dataPageOffset,
    hasDictionary: encoded.dictionary !== undefined,
    size: out.length - offset,
    uncompressedSize,
    statistics: statisticsOf(encoded.extremes, data.nullCount),
  };
}

/** Definition levels: 1 if there is a value; `all` if every row has one. */
type Levels = Int32Array | 'all';

function levelsOf({ nulls }: ColumnData, rows: number): Levels {
  if (!nulls) return 'all';
  const levels = new Int32Array(rows);
  for (let i = 0; i < rows; i++) levels[i] = nulls[i] === 0 ? 1 : 0;
  return levels;
}

function* pages(
  values: EncodedValues,
  rows: number,
  levels: Levels | undefined,
): Generator<{ rows: number; body: Uint8Array }> {
  const pageRows = Math.max(1, Math.min(PAGE_ROWS, Math.floor(PAGE_BYTES / values.valueSize)));
  const body = new ByteWriter(65_536);
  let value = 0;
  for (let row = 0; row < rows; row += pageRows) {
    const end = Math.min(rows, row + pageRows);
    body.length = 0;
    const valueEnd = value + writeLevels(body, levels, row, end);
    values.write(body, value, valueEnd);
    value = valueEnd;
    yield { rows: end - row, body: body.written() };
  }
}

/** Returns the number of values, that is, of rows that are not null. */
function writeLevels(out: ByteWriter, levels: Levels | undefined, start: number, end: number): number {
  if (levels === undefined) return end - start;
  if (levels === 'all') {
    const run = new ByteWriter(16);
    writeRun(run, 1, end - start, 1);
    out.uint32(run.length);
    out.append(run.written());
    return end - start;
  }
  writeSizedRle(out, levels, start, end);
  let count = 0;
  for (let i = start; i < end; i++) count += levels[i] as number;
  return count;
}

/** All encodings in the chunk: dictionaries are PLAIN, levels RLE. */
function encodingsOf({ encoding, dictionary }: EncodedValues): readonly EncodingId[] {
  return [...new Set([...(dictionary ? [Encoding.plain] : []), Encoding.rle, encoding])];
}
