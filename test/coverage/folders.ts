import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Day, formatDay, parseDay } from '../../src/dataset/day.js';
import { parseLayout } from '../../src/dataset/layout.js';
import { formatManifestLine } from '../../src/store/manifest/manifest-line.js';
import type { ConversionEntry, ManifestRecord } from '../../src/store/manifest-record.js';

/** A series to be recorded: a letter a day from `from` on. */
export interface Recorded {
  readonly exchange?: string;
  readonly dataType?: string;
  readonly symbol?: string;
  /** `YYYY-MM-DD`. */
  readonly from: string;
  /** `p`: there, `e`: there without rows, `g`: recorded and gone, `.`: never recorded. */
  readonly days: string;
}

export const BYTES = 1000;
export const ROWS = 10;

/** The records of a series, one for each letter but `.`. */
export function recordsOf(recorded: Recorded): readonly ManifestRecord[] {
  const { exchange = 'deribit', dataType = 'trades', symbol = 'BTC-PERPETUAL', from, days } = recorded;
  const first = parseDay(from);
  return [...days].flatMap((letter, i) => {
    if (letter === '.') return [];
    const file = { exchange, dataType, symbol, day: (first + i) as Day };
    return [recordOf(file, letter === 'e' ? 0 : ROWS)];
  });
}

export function recordOf(file: ManifestRecord['file'], rows = ROWS): ManifestRecord {
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

/** The conversion of a record. */
export function conversionOf({ path, rows, sha256 }: ManifestRecord, bytes = 300): ConversionEntry {
  const options = { format: 'parquet' };
  return { path: path.replace('.csv.gz', '.parquet'), bytes, sha256, rows, options };
}

/** Writes a manifest, with an empty file for each path that is to be there. */
export async function writeFolder(
  dir: string,
  records: readonly ManifestRecord[],
  there: readonly string[],
): Promise<void> {
  const path = join(dir, '.tickhaul', 'manifest.jsonl');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, records.map(formatManifestLine).join(''));
  for (const each of there) {
    await mkdir(dirname(join(dir, each)), { recursive: true });
    await writeFile(join(dir, each), '');
  }
}

/** A folder with the series; the files of all but the `g` days are there. */
export async function makeFolder(dir: string, series: readonly Recorded[]): Promise<void> {
  const records = series.map(recordsOf);
  const there = series.flatMap(({ days }, i) => {
    const letters = [...days].filter((letter) => letter !== '.');
    return (records[i] ?? []).filter((_, day) => letters[day] !== 'g').map(({ path }) => path);
  });
  await writeFolder(dir, records.flat(), there);
}
