import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CompressionType, setCompressionCodec, tableFromIPC } from '@uwdata/flechette';
import { decompress } from 'lz4js';
import { parseDay, US_PER_DAY } from '../../../src/day-files/day.js';
import type { ExportSource } from '../../../src/export/export-target.js';
import { createPairExporter, type TradeLimits } from '../../../src/export/freqtrade/export-pairs.js';
import type { JobSettings } from '../../../src/export/freqtrade/freqtrade-settings.js';
import { JobIo } from '../../../src/export/job-io.js';
import { openFiles } from '../../../src/store/open-files.js';

/** Midnight of 2024-03-01 in microseconds. */
export const MIDNIGHT = parseDay('2024-03-01') * US_PER_DAY;

export interface TradeRow {
  readonly symbol?: string;
  /** Microseconds after `MIDNIGHT`. */
  readonly time: number;
  readonly id?: string;
  readonly side?: string;
  readonly price: number | string;
  readonly amount: number | string;
}

/** Writes the trades of a day file, in this order. @param day days after 2024-03-01. */
export async function writeTrades(
  dir: string,
  rows: readonly TradeRow[],
  day = 0,
  symbol = 'BTCUSDT',
): Promise<ExportSource> {
  const lines = rows.map(
    (row, i) =>
      `binance,${row.symbol ?? symbol},${MIDNIGHT + row.time},${MIDNIGHT + day * US_PER_DAY + i},${row.id ?? ''},${row.side ?? 'buy'},${row.price},${row.amount}\n`,
  );
  const date = `2024-03-0${1 + day}`;
  const path = join(dir, `binance_trades_${date}_${symbol}.csv.gz`);
  await mkdir(dir, { recursive: true });
  await writeFile(
    path,
    gzipSync(`exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n${lines.join('')}`),
  );
  return { path, file: { exchange: 'binance', dataType: 'trades', symbol, day: parseDay(date) } };
}

/** Exports to a folder. @returns warnings. */
export async function exportHere(
  sources: readonly ExportSource[],
  out: string,
  settings: JobSettings,
  limits?: Partial<TradeLimits>,
): Promise<readonly string[]> {
  const files = openFiles(undefined);
  const { signal } = new AbortController();
  const access = { files, store: undefined, busyThreads: availableParallelism() };
  const job = { target: 'freqtrade', key: 'binance BTCUSDT', sources, settings } as const;
  const io = new JobIo({ access, out, key: job.key, onBytes: () => {}, signal });
  try {
    await createPairExporter(limits)(job, io);
    io.countRows();
    await io.publish();
    return io.warnings;
  } finally {
    await io.close();
    await files.close();
  }
}

/** Reads a Feather file with a reader of another project; integers and times are those in the file. */
export async function readFeather(path: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
  setCompressionCodec(CompressionType.LZ4_FRAME, {
    encode: () => {
      throw new Error('read only');
    },
    decode: (frame) => decompress(frame),
  });
  const table = tableFromIPC(Uint8Array.from(await readFile(path)), { useBigInt: true });
  return Object.fromEntries(
    table.schema.fields.map(({ name }) => [
      name,
      table.getChild(name).data.flatMap((batch) =>
        Array.from({ length: batch.length }, (_, row) => {
          if (batch.at(row) === null) return null;
          const value = batch.values instanceof BigInt64Array ? batch.values[row] : batch.at(row);
          return typeof value === 'bigint' ? Number(value) : value;
        }),
      ),
    ]),
  );
}
