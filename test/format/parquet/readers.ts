import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { cleanUp } from '../../helpers/clean-up.js';
import type { Cell, TestColumn } from './batches.js';

/** Reads the cells by column with hyparquet; times are microseconds. */
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

/** The expected cells by column. */
export function cellsOf(columns: readonly TestColumn[]): readonly (readonly Cell[])[] {
  return columns.map(({ cells }) => cells);
}

export interface Duck {
  /** Runs SQL with `$file` as the file; each row is an array. */
  readonly rows: (file: Uint8Array, sql: string) => Promise<unknown[][]>;
  /** Runs SQL; each row is an array. */
  readonly query: (sql: string) => Promise<unknown[][]>;
  readonly close: () => void;
}

let serial = 0;

/** DuckDB until the test ends. */
export async function duckFor(t: TestContext): Promise<Duck> {
  const duck = await openDuck();
  cleanUp(t, () => duck.close());
  return duck;
}

/** One DuckDB for all tests of a file, opened at its first use. */
export function duckOfFile(): Omit<Duck, 'close'> {
  let opened: Promise<Duck> | undefined;
  const open = (): Promise<Duck> => {
    opened ??= openDuck();
    return opened;
  };
  after(async () => (await opened)?.close());
  return {
    query: async (sql) => (await open()).query(sql),
    rows: async (file, sql) => (await open()).rows(file, sql),
  };
}

/** Opens DuckDB in memory. Files are written to disk, since it reads none from memory. */
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
