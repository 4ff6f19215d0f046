import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Day, formatDay, parseDay } from '../../../src/day-files/day.js';
import { parseLayout } from '../../../src/day-files/layout.js';
import { formatManifestLine } from '../../../src/store/manifest/manifest-line.js';
import type { ConversionEntry, ManifestRecord } from '../../../src/store/manifest-record.js';

/** A series to record, with one letter per day from `from`. */
export interface RecordedSeries {
  readonly exchange?: string;
  readonly dataType?: string;
  readonly symbol?: string;
  /** `YYYY-MM-DD`. */
  readonly from: string;
  /** `p`: present, `e`: present without rows, `g`: recorded but not on disk, `.`: not recorded. */
  readonly days: string;
}

export const BYTES = 1000;
export const ROWS = 10;

/** Creates the records of a series, one for each letter but `.`. */
export function createRecords(recorded: RecordedSeries): readonly ManifestRecord[] {
  const { exchange = 'deribit', dataType = 'trades', symbol = 'BTC-PERPETUAL', from, days } = recorded;
  const first = parseDay(from);
  return [...days].flatMap((letter, i) => {
    if (letter === '.') return [];
    const file = { exchange, dataType, symbol, day: (first + i) as Day };
    return [createRecord(file, letter === 'e' ? 0 : ROWS)];
  });
}

export function createRecord(file: ManifestRecord['file'], rows = ROWS): ManifestRecord {
  return {
    file,
    path: parseLayout('flat').pathOf(file, 'csv.gz'),
    bytes: BYTES,
    md5: '0'.repeat(32),
    sha256: 'f'.repeat(64),
    md5Match: true,
    rows,
    time: `${formatDay((file.day + 1) as Day)}T06:00:00.000Z`,
    version: '0.1.0',
  };
}

/** Creates the conversion entry of a record. */
export function createConversion({ path, rows, sha256 }: ManifestRecord, bytes = 300): ConversionEntry {
  const options = { format: 'parquet' };
  return { path: path.replace('.csv.gz', '.parquet'), bytes, sha256, rows, options };
}

/** Writes a manifest and an empty file for each existing path. */
export async function writeFolder(
  dir: string,
  records: readonly ManifestRecord[],
  existing: readonly string[],
): Promise<void> {
  const path = join(dir, '.tickhaul', 'manifest.jsonl');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, records.map(formatManifestLine).join(''));
  for (const file of existing) {
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await writeFile(join(dir, file), '');
  }
}

/** Creates a folder with the series; the files of `g` days do not exist. */
export async function createFolder(dir: string, series: readonly RecordedSeries[]): Promise<void> {
  const records = series.map(createRecords);
  const existing = series.flatMap(({ days }, i) => {
    const letters = [...days].filter((letter) => letter !== '.');
    return (records[i] ?? []).filter((_, day) => letters[day] !== 'g').map(({ path }) => path);
  });
  await writeFolder(dir, records.flat(), existing);
}
