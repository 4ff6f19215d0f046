import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { Cell, TestColumn } from './batches.js';

/** The cells by columns, as hyparquet reads them; times as numbers of microseconds. */
export async function readWithHyparquet(
  file: Uint8Array,
  names: readonly string[],
): Promise<readonly (readonly unknown[])[]> {
  const rows = await parquetReadObjects({
    file: Uint8Array.from(file).buffer,
    compressors,
    parsers: { timestampFromMicroseconds: Number },
  });
  return names.map((name) => rows.map((row) => toCell(row[name])));
}

/** What the columns should be read back as. */
export function cellsOf(columns: readonly TestColumn[]): readonly (readonly Cell[])[] {
  return columns.map(({ cells }) => cells);
}

export interface Duck {
  /** Runs SQL in which `$file` stands for the file; each row as a plain array. */
  readonly rows: (file: Uint8Array, sql: string) => Promise<unknown[][]>;
  /** Runs SQL as it is; each row as a plain array. */
  readonly query: (sql: string) => Promise<unknown[][]>;
  readonly close: () => void;
}

let serial = 0;

/** DuckDB in memory. Files go through the disk, since it reads none from memory. */
export async function openDuck(): Promise<Duck> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  const query = async (sql: string): Promise<unknown[][]> => {
    const reader = await connection.runAndReadAll(sql);
    return reader.getRows().map((row) => row.map(toCell));
  };
  return {
    query,
    async rows(file, sql) {
      const path = join(tmpdir(), `tickhaul-test-${process.pid}-${serial++}.parquet`);
      await writeFile(path, file);
      try {
        return await query(sql.replaceAll('$file', `'${path}'`));
      } finally {
        await rm(path);
      }
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

function toCell(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : (value ?? null);
}
