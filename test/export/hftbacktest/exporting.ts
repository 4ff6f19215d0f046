import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseDay, US_PER_DAY } from '../../../src/day-files/day.js';
import type { ExportSource } from '../../../src/export/export-target.js';
import { hftbacktest } from '../../../src/export/hftbacktest/hftbacktest-target.js';
import { type ExportJobResult, runExportJob } from '../../../src/export/run-export-job.js';
import { openFiles } from '../../../src/store/open-files.js';
import type { BookRow, TradeRow } from './slow-events.js';

export const DATE = '2024-03-01';
/** Midnight in microseconds. */
export const MIDNIGHT = parseDay(DATE) * US_PER_DAY;

export function tradesCsv(rows: readonly TradeRow[]): string {
  const lines = rows.map(
    ({ symbol, timestamp, local, side, price, amount }, id) =>
      `deribit,${symbol},${timestamp},${local},${id},${side},${price},${amount}\n`,
  );
  return `exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n${lines.join('')}`;
}

export function bookCsv(rows: readonly BookRow[]): string {
  const lines = rows.map(
    ({ symbol, timestamp, local, isSnapshot, side, price, amount }) =>
      `deribit,${symbol},${timestamp},${local},${isSnapshot},${side},${price},${amount}\n`,
  );
  return `exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n${lines.join('')}`;
}

/** Writes the day files of a symbol. */
export async function writeDay(
  dir: string,
  trades: string,
  book: string,
  symbol = 'BTC',
): Promise<readonly ExportSource[]> {
  const write = async (dataType: string, csv: string): Promise<ExportSource> => {
    const path = join(dir, `deribit_${dataType}_${DATE}_${symbol}.csv.gz`);
    await writeFile(path, gzipSync(csv));
    return { path, file: { exchange: 'deribit', dataType, symbol, day: parseDay(DATE) } };
  };
  return [await write('incremental_book_L2', book), await write('trades', trades)];
}

/** Exports a day to a folder. @param onBytes receives the numbers of bytes that are read. */
export async function exportHere(
  sources: readonly ExportSource[],
  out: string,
  flags: Parameters<typeof hftbacktest.readSettings>[0] = {},
  onBytes: (count: number) => void = () => {},
): Promise<ExportJobResult> {
  const job = {
    target: 'hftbacktest',
    key: 'day',
    sources,
    settings: hftbacktest.readSettings(flags),
  } as const;
  const files = openFiles(undefined);
  try {
    const placed = { job, out, record: undefined, busyThreads: 1 };
    const listener = { onBytes, claim: async () => {} };
    return await runExportJob(placed, { files, store: undefined }, listener, new AbortController().signal);
  } finally {
    await files.close();
  }
}
