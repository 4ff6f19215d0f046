import { type DataType, dataTypeColumns } from '../../src/day-files/data-types.js';
import type { Batch, Schema } from '../../src/format/batch.js';
import { RowReader } from '../../src/format/csv/row-reader.js';
import { copyBatch } from '../helpers/copy-batch.js';
import type { Row } from './naive/messages.js';

/** The text of a day file with these rows; missing cells are empty. */
export function csvOf(dataType: DataType, rows: readonly Row[]): string {
  const names = (dataTypeColumns(dataType) ?? []).map(({ name }) => name);
  return [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))]
    .map((cells) => cells.join())
    .join('\n');
}

/** Parses the rows of a day file's text. */
export function rowsOf(csv: string): Row[] {
  const [header = '', ...lines] = csv.trimEnd().split(/\r?\n/);
  const names = header.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}

/** Parses a day file's text into batches. */
export function batchesOf(
  dataType: DataType,
  csv: string,
  batchRows: number,
): { schema: Schema; batches: Batch[] } {
  const parser = new RowReader({ path: 'test.csv.gz', dataType, batchRows });
  const batches: Batch[] = [];
  // Copy: the parser reuses the memory for the next batch.
  for (const batch of parser.push(Buffer.from(csv))) batches.push(copyBatch(batch));
  for (const batch of parser.end()) batches.push(copyBatch(batch));
  return { schema: parser.schema ?? [], batches };
}
