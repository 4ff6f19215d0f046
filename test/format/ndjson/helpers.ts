import { copyOf, type Schema } from '../../../src/format/columns.js';
import { CsvParser } from '../../../src/format/csv/parser.js';
import { createNdjsonEncoder, type NdjsonOptions } from '../../../src/format/ndjson/encoder.js';

export interface EncodeOptions extends Partial<NdjsonOptions> {
  readonly dataType?: string;
  readonly batchRows?: number;
}

export interface Encoded {
  readonly schema: Schema;
  /** The output of each batch. */
  readonly chunks: readonly Buffer[];
  readonly text: string;
}

export function toNdjson(csv: string, options: EncodeOptions = {}): Encoded {
  const { dataType = 'trades', batchRows = 1000, times = 'int', numbers = 'double' } = options;
  const parser = new CsvParser({ source: 'day.csv.gz', dataType, batchRows, numberText: true });
  const batches = Array.from(parser.push(Buffer.from(csv)), copyOf);
  batches.push(...Array.from(parser.end(), copyOf));
  const schema = parser.schema ?? [];
  const encode = createNdjsonEncoder(schema, { times, numbers, results: 1 });
  // Copies, since the encoder writes over what it gave.
  const chunks = batches.map((batch) => Buffer.from(encode(batch)));
  return { schema, chunks, text: Buffer.concat(chunks).toString('utf8') };
}

/** What the lines should parse to: cells as the CSV has them, undone of its quotes. */
export function expectedRows(
  schema: Schema,
  rows: readonly (readonly string[])[],
): readonly Readonly<Record<string, unknown>>[] {
  return rows.map((cells) =>
    Object.fromEntries(schema.map(({ name, kind }, i) => [name, expectedValue(kind, cells[i] ?? '')])),
  );
}

function expectedValue(kind: string, cell: string): unknown {
  if (cell === '') return null;
  if (kind === 'boolean') return cell === 'true';
  return kind === 'text' ? cell : Number(cell);
}

/** The lines' values; throws where a line isn't JSON. */
export function parseLines(ndjson: string): unknown[] {
  const lines = ndjson.split('\n');
  if (lines.pop() !== '') throw new Error('the last line does not end in LF');
  return lines.map((line): unknown => JSON.parse(line));
}

/** A cell as CSV writes it (RFC 4180). */
export function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
