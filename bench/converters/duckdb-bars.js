// DuckDB: one-minute bars of trades, from CSV to Parquet.
import { DuckDBInstance } from '@duckdb/node-api';
import { task } from './columns.js';
import { quoted, rowsOf } from './duckdb-rows.js';

const { columns, files } = task();
const database = await DuckDBInstance.create(':memory:', { threads: process.env.DUCKDB_THREADS });
const connection = await database.connect();
for (const { source, target } of files) {
  const bars = `SELECT exchange, symbol, time_bucket(INTERVAL '1 minute', timestamp) + INTERVAL '1 minute' AS timestamp,
    max(local_timestamp) AS local_timestamp,
    arg_min(price, timestamp) AS open, max(price) AS high, min(price) AS low, arg_max(price, timestamp) AS close,
    sum(amount) AS volume, sum(amount) FILTER (side = 'buy') AS buy_volume,
    sum(amount) FILTER (side = 'sell') AS sell_volume, count(*) AS trades,
    sum(price * amount) / sum(amount) AS vwap, min(timestamp) AS open_timestamp, max(timestamp) AS close_timestamp
    FROM (${rowsOf(source, columns)}) GROUP BY ALL ORDER BY timestamp`;
  await connection.run(
    `COPY (${bars}) TO ${quoted(`${target}.parquet`, "'")} (FORMAT parquet, COMPRESSION zstd)`,
  );
}
