import type { ColumnKind } from '../../../src/day-files/data-types.js';
import type { Schema } from '../../../src/format/batch.js';
import type { EncodedBatch, OutputOptions } from '../../../src/format/output-format.js';
import { createBatchKernel } from '../../../src/format/output-formats.js';
import { type ParquetOptions, toParquetColumns } from '../../../src/format/parquet/parquet-schema.js';
import { createParquetWriter, type EncodedRowGroup } from '../../../src/format/parquet/parquet-writer.js';
import { createMemorySink } from '../../helpers/memory-sink.js';

export type Cell = string | number | boolean | null;

/** A column of a test. */
export interface TestColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly cells: readonly Cell[];
}

/** Less text than a piece holds, in characters. */
const PIECE_CHARACTERS = 500_000;

export function schemaOf(columns: readonly TestColumn[]): Schema {
  return columns.map(({ name, kind }) => ({ name, kind }));
}

/** The cells of a row in the CSV of a day file. */
export function rowOf(columns: readonly TestColumn[], row: number): string[] {
  return columns.map(({ cells }) => {
    const cell = cells[row] ?? null;
    return cell === null ? '' : Object.is(cell, -0) ? '-0' : String(cell);
  });
}

/** Encodes the columns in batches of `batchRows` rows. */
export async function encodeBatches(
  columns: readonly TestColumn[],
  batchRows: number,
  options: OutputOptions,
): Promise<EncodedBatch[]> {
  const kernel = await createBatchKernel({ source: 'day.csv.gz', schema: schemaOf(columns), options });
  const batches: EncodedBatch[] = [];
  const total = columns[0]?.cells.length ?? 0;
  let text = '';
  const parse = (): void => {
    kernel.parse(kernel.getPieceBuffer().write(text));
    text = '';
  };
  for (let row = 0; row < total; row++) {
    const cells = rowOf(columns, row);
    if (cells.some((cell) => /[",\r\n]/.test(cell))) {
      parse();
      kernel.appendRow(cells.map((cell) => Buffer.from(cell)));
    } else text += `${cells.join()}\n`;
    if (text.length > PIECE_CHARACTERS) parse();
    if ((row + 1) % batchRows !== 0 && row + 1 < total) continue;
    parse();
    const batch = kernel.finish();
    // Copy: the bytes are valid only until the batch after the next one.
    if (batch) batches.push({ ...batch, bytes: batch.bytes.slice() });
  }
  return batches;
}

/** Writes a Parquet file in memory. */
export async function parquetOf(
  columns: readonly TestColumn[],
  options: Partial<Omit<ParquetOptions, 'schema'>> & {
    rows?: number;
    keyValues?: Record<string, string>;
  } = {},
): Promise<Uint8Array> {
  const { rows = Math.max(1, columns[0]?.cells.length ?? 0), keyValues = {}, ...chosen } = options;
  const parquet = { times: 'timestamp', numbers: 'double', compression: 'zstd', ...chosen } as const;
  const sink = createMemorySink();
  const writer = createParquetWriter(sink, toParquetColumns(schemaOf(columns), parquet), parquet.compression);
  const groups = await encodeBatches(columns, rows, { ...parquet, format: 'parquet', rowGroup: rows });
  for (const group of groups) await writer.writeRowGroup(group as EncodedRowGroup);
  await writer.finish(keyValues);
  return sink.bytes();
}
