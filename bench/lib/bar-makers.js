import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { converters } from './convert-peers.js';

/** Peers that compute one-minute bars of trades, and the plain conversion of the same file. */
export function barMakers(kind, path, rows) {
  const make = converters(kind, [path], rows);
  return [make.tickhaul('--as', 'trade_bar_1m'), make.duckdbBars(), { ...make.tickhaul(), makesRows: true }];
}

/** A check for `compare`: all peers have the same number of bars, trades, volume, high and low. */
export function sameBars() {
  let expected;
  return async ({ name, makesRows }, folder) => {
    const names = (await readdir(folder)).filter((one) => one.endsWith('.parquet'));
    const output = (await stat(join(folder, names[0]))).size;
    if (makesRows) return { output };
    const facts = await factsOf(join(folder, names[0]));
    expected ??= facts;
    if (JSON.stringify(facts) !== JSON.stringify(expected)) {
      throw new Error(`${name}: ${JSON.stringify(facts)}, not ${JSON.stringify(expected)}`);
    }
    return { output };
  };
}

async function factsOf(path) {
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  const read = `SELECT count(*)::VARCHAR AS bars, sum(trades)::VARCHAR AS trades, round(sum(volume), 3)::VARCHAR AS volume,
    max(high)::VARCHAR AS high, min(low)::VARCHAR AS low FROM read_parquet('${path}')`;
  const [row] = (await connection.runAndReadAll(read)).getRowObjects();
  return row;
}
