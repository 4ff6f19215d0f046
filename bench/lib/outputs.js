import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** What must be the same in all peers' outputs of the same rows. Sums of doubles depend on their order a little. */
const FACTS = `count(*)::DOUBLE AS rows, count(DISTINCT side)::DOUBLE AS sides,
  epoch_us(max(local_timestamp))::DOUBLE AS last, sum(amount) AS amounts, min(price) AS least, max(price) AS most`;
const SNAPSHOT_FACTS = `count(*)::DOUBLE AS rows, epoch_us(max(local_timestamp))::DOUBLE AS last,
  sum("asks[0].amount") AS amounts, min("bids[24].price") AS least, max("asks[24].price") AS most`;

/**
 * A check for `compare`: gives the size of what a peer left, after a look, once a peer, whether all left the same
 * rows. NDJSON tells its number of rows only.
 */
export function sameRows(type) {
  const seen = new Set();
  const expected = new Map();
  return async (peer, folder) => {
    // A record of what was made from what is no part of the output.
    const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
    const output = sizes.reduce((sum, size) => sum + size, 0);
    if (peer.leavesNothing || seen.has(peer.name)) return { output };
    seen.add(peer.name);
    const facts = await factsOf(folder, names, type);
    const first = expected.get(peer.rows) ?? facts;
    expected.set(peer.rows, first);
    const differs = Object.keys(first).some((fact) => !isClose(first[fact], facts[fact]));
    if (differs || facts.rows !== peer.rows) {
      throw new Error(`${peer.name}: ${JSON.stringify(facts)} where ${JSON.stringify(first)} was expected`);
    }
    return { output };
  };
}

async function factsOf(folder, names, type) {
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  const isJson = names[0]?.endsWith('.ndjson');
  const facts = type === 'book_snapshot_25' ? SNAPSHOT_FACTS : FACTS;
  const read = isJson
    ? `SELECT count(*)::DOUBLE AS rows FROM read_csv('${folder}/*.ndjson', header = false, columns = {l: 'VARCHAR'}, delim = '\\x01', quote = '')`
    : `SELECT ${facts} FROM read_parquet('${folder}/*.parquet')`;
  const [row] = (await connection.runAndReadAll(read)).getRowObjects();
  return row;
}

function isClose(a, b) {
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}
