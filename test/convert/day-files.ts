import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { OutputFormatName } from '../../src/base/output-format-names.js';
import { type ConvertInput, convertFiles } from '../../src/convert/convert-files.js';
import { dataTypeColumns } from '../../src/day-files/data-types.js';
import { parseDay } from '../../src/day-files/day.js';
import type { FileEvent, RunEvent, RunSummary } from '../../src/events/run-events.js';
import { createOutputOptions } from '../../src/format/output-formats.js';
import { generateDayFileText } from '../../src/sandbox/archive/generate-day-file.js';

export type CsvCell = string | number | boolean | null;

export const DAY = parseDay('2024-03-01');

const generatedCsv = new Map<string, string>();

/** The first rows of a generated day file's CSV; cached. */
export function csvOf(dataType: string, rows: number): string {
  const key = `${dataType} ${rows}`;
  const csv = generatedCsv.get(key) ?? generateCsv(dataType, rows);
  generatedCsv.set(key, csv);
  return csv;
}

function generateCsv(dataType: string, rows: number): string {
  const file = { exchange: 'deribit', dataType, symbol: 'BTC-PERPETUAL', day: DAY };
  // Only some of the book's changes result in quotes and snapshots.
  const isOfChanges = /^(quotes|book_ticker|book_snapshot_.*)$/.test(dataType);
  const size = { rows: isOfChanges ? 3 * rows + 100 : rows, seed: 7 };
  let csv = '';
  for (const text of generateDayFileText(file, [file.symbol], size)) csv += text;
  return csv
    .split(/(?<=\n)/)
    .slice(0, rows + 1)
    .join('');
}

/** Writes CSV text (gzipped) or bytes (unchanged) as a day file. @returns its path. */
export async function writeDayFile(
  dir: string,
  dataType: string,
  csv: string | Buffer,
  symbol = 'BTC-PERPETUAL',
): Promise<string> {
  const path = join(dir, `deribit_${dataType}_2024-03-01_${symbol}.csv.gz`);
  await writeFile(path, typeof csv === 'string' ? gzipSync(csv) : csv);
  return path;
}

/** The cells of a CSV's rows, typed by the data type. */
export function cellsOf(dataType: string, csv: string): Record<string, CsvCell>[] {
  const [header = '', ...lines] = csv.trimEnd().split('\n');
  const names = header.split(',');
  const kinds = new Map(dataTypeColumns(dataType)?.map(({ name, kind }) => [name, kind]));
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(
      names.map((name, i) => {
        const cell = cells[i] ?? '';
        const kind = kinds.get(name) ?? 'text';
        if (cell === '') return [name, null];
        if (kind === 'boolean') return [name, cell === 'true'];
        return [name, kind === 'text' ? cell : Number(cell)];
      }),
    );
  });
}

/** Reads the rows of a Parquet file with hyparquet; times are microseconds. */
export async function parquetRows(file: Buffer): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({
    file: Uint8Array.from(file).buffer,
    compressors,
    parsers: { timestampFromMicroseconds: Number },
  });
}

export interface Ran {
  readonly summary: RunSummary;
  readonly events: readonly RunEvent[];
  readonly files: readonly FileEvent[];
}

export async function run(
  paths: readonly string[],
  options: Partial<Omit<ConvertInput, 'paths' | 'options' | 'emit'>> & {
    readonly format?: OutputFormatName;
    readonly chosen?: Parameters<typeof createOutputOptions>[1];
    readonly onEvent?: (event: RunEvent) => void;
  } = {},
): Promise<Ran> {
  const { format = 'parquet', chosen = {}, onEvent, ...input } = options;
  const events: RunEvent[] = [];
  const summary = await convertFiles({
    paths,
    options: createOutputOptions(format, chosen),
    jobs: 2,
    existing: 'skip',
    keepSource: true,
    signal: new AbortController().signal,
    ...input,
    emit: (event) => {
      events.push(event);
      onEvent?.(event);
    },
  });
  return { summary, events, files: events.filter((event) => event.event === 'file') };
}
