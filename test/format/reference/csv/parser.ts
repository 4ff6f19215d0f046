import type { Batch, Schema } from '../../../../src/format/batch.js';
import { createRowError, splitLine } from '../../../../src/format/csv/csv-cells.js';
import { countRecordLines, parseRecords } from '../../../../src/format/csv/quoted-records.js';
import { BatchBuilder } from './batch-builder.js';

const LF = 10;

export interface ReferenceOptions {
  readonly source: string;
  readonly schema: Schema;
  /** Rows per batch. */
  readonly batchRows: number;
  readonly numberText: boolean;
  /** Text of a batch, including separators. */
  readonly maxTextBytes?: number | undefined;
  /** Line of the first row. */
  readonly line?: number;
}

/**
 * Parses rows of CSV, without a header, into batches, line by line and cell by cell; reference
 * implementation.
 */
export function referenceBatches(csv: Buffer, options: ReferenceOptions): Batch[] {
  const { source, schema, batchRows, numberText, maxTextBytes = Number.POSITIVE_INFINITY } = options;
  const names = schema.map(({ name }) => name);
  const batches: Batch[] = [];
  let batch = new BatchBuilder(schema, batchRows, numberText);
  let textBytes = 0;
  let line = options.line ?? 2;
  const records = csv.includes('"') ? parseRecords(csv, { source, line }, names) : linesOfText(csv);
  for (const cells of records) {
    const fail = (column: number, problem: string | undefined) =>
      createRowError({ source, line }, names, cells, column, problem);
    if (cells.length !== schema.length) throw fail(0, undefined);
    if (batch.full || textBytes >= maxTextBytes) {
      batches.push(batch.finish());
      batch = new BatchBuilder(schema, batchRows, numberText);
      textBytes = 0;
    }
    for (const [column, cell] of cells.entries()) {
      const problem = batch.append(column, cell);
      if (problem !== undefined) throw fail(column, problem);
      textBytes += cell.length + 1;
    }
    batch.row++;
    line += countRecordLines(cells);
  }
  if (batch.row > 0) batches.push(batch.finish());
  return batches;
}

function* linesOfText(csv: Buffer): Generator<Buffer[]> {
  for (let start = 0; start < csv.length; ) {
    const found = csv.indexOf(LF, start);
    const end = found < 0 ? csv.length : found;
    yield splitLine(csv.subarray(start, end));
    start = end + 1;
  }
}
