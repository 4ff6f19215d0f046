// DuckDB: COPY from CSV to Parquet, or to NDJSON if FORMAT says so.
import { DuckDBInstance } from '@duckdb/node-api';
import { task } from './columns.js';
import { rowsOf } from './duckdb-rows.js';

const isJson = process.env.FORMAT === 'json';
const { columns, files } = task();
const database = await DuckDBInstance.create(':memory:', { threads: process.env.DUCKDB_THREADS });
const connection = await database.connect();
for (const { source, target } of files) {
  const to = isJson
    ? `'${target}.ndjson' (FORMAT json)`
    : `'${target}.parquet' (FORMAT parquet, COMPRESSION zstd)`;
  await connection.run(`COPY (${rowsOf(source, columns, isJson)}) TO ${to}`);
}
