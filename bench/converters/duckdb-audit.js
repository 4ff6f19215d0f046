// DuckDB: the checks of an audit that SQL can count, of trades and quotes, in one query over the rows. It leaves out
// `id_gap`, `duplicate_row` and the places of the findings, and writes the counts.
import { writeFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { task } from './columns.js';
import { rowsOf } from './duckdb-rows.js';

const US_PER_DAY = 86_400_000_000;
const GAP_US = 60_000_000;
const JUMP = 1.1;

/** Columns of windows, and counts, for all data types and by a column that only one has. */
const WINDOWS = [
  'lag(local_timestamp) OVER file AS previous_local',
  'max(local_timestamp) OVER (file ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS clock',
  'max(timestamp) OVER (PARTITION BY symbol ORDER BY row ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest',
];
const COUNTS = [
  'count(*) AS rows',
  'count(*) FILTER (local_timestamp < previous_local) AS local_order',
  `count(*) FILTER (local_timestamp // ${US_PER_DAY} <> (SELECT min(local_timestamp) // ${US_PER_DAY} FROM numbered)) AS outside_day`,
  'count(*) FILTER (timestamp < latest) AS exchange_order',
  'count(*) FILTER (timestamp > local_timestamp) AS future_timestamp',
  `count(*) FILTER (local_timestamp - clock > ${GAP_US}) AS gap`,
  'quantile_cont(local_timestamp - timestamp, [0.5, 0.99]) AS latency',
  'count(*) FILTER (exchange IS NULL OR symbol IS NULL OR timestamp IS NULL) AS missing_value',
];
const OF_TYPE = {
  price: {
    windows: ['lag(price) OVER (PARTITION BY symbol ORDER BY row) AS previous_price'],
    counts: [
      'count(*) - count(DISTINCT (symbol, id)) AS duplicate_id',
      'count(*) FILTER (price <= 0) + count(*) FILTER (amount <= 0) AS bad_number',
      "count(*) FILTER (side NOT IN ('buy', 'sell')) AS unknown_side",
      `count(*) FILTER (price > previous_price * ${JUMP} OR price * ${JUMP} < previous_price) AS price_jump`,
    ],
  },
  bid_price: {
    windows: ['lead(local_timestamp) OVER (PARTITION BY symbol ORDER BY row) AS next_local'],
    counts: [
      'count(*) FILTER (bid_price > ask_price) AS crossed',
      'sum(next_local - local_timestamp) FILTER (bid_price > ask_price) AS crossed_us',
      'count(*) FILTER (bid_price = ask_price) AS locked',
      'count(*) FILTER (bid_price <= 0 OR ask_price <= 0 OR bid_amount < 0 OR ask_amount < 0) AS bad_number',
    ],
  },
};

const { columns, files } = task();
const { windows, counts } = OF_TYPE[columns.find(({ name }) => name in OF_TYPE).name];
const database = await DuckDBInstance.create(':memory:', { threads: process.env.DUCKDB_THREADS });
const connection = await database.connect();
for (const { source, target } of files) {
  const reader = await connection.runAndReadAll(`
    WITH numbered AS (SELECT *, row_number() OVER () AS row FROM (${rowsOf(source, columns, true)})),
    windowed AS (SELECT *, ${[...WINDOWS, ...windows].join(', ')} FROM numbered WINDOW file AS (ORDER BY row))
    SELECT ${[...COUNTS, ...counts].join(', ')} FROM windowed`);
  writeFileSync(`${target}.json`, `${JSON.stringify(reader.getRowObjectsJson())}\n`);
}
