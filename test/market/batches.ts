import { type DataType, dataTypeColumns } from '../../src/dataset/data-types.js';
import { type Batch, copyBatch, type Schema } from '../../src/format/batch.js';
import { CsvParser } from '../../src/format/csv/csv-parser.js';
import type { Row } from './naive/messages.js';

/** Rows as the text of a day file; what a row lacks is an empty cell. */
export function csvOf(dataType: DataType, rows: readonly Row[]): string {
  const names = (dataTypeColumns(dataType) ?? []).map(({ name }) => name);
  return [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))]
    .map((cells) => cells.join())
    .join('\n');
}

/** The rows of a day file's text. */
export function rowsOf(csv: string): Row[] {
  const [header = '', ...lines] = csv.trimEnd().split(/\r?\n/);
  const names = header.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}

/** Batches of a day file's text, as its readers get them. */
export function batchesOf(
  dataType: DataType,
  csv: string,
  batchRows: number,
): { schema: Schema; batches: Batch[] } {
  const parser = new CsvParser({ source: 'test.csv.gz', dataType, batchRows });
  const batches: Batch[] = [];
  // The parser uses the memory of one batch for the next.
  for (const batch of parser.push(Buffer.from(csv))) batches.push(copyBatch(batch));
  for (const batch of parser.end()) batches.push(copyBatch(batch));
  return { schema: parser.schema ?? [], batches };
}
