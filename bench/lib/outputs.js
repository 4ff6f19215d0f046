import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { columnsOf } from '../converters/columns.js';

const JSON_TYPES = { text: 'VARCHAR', time: 'BIGINT', number: 'DOUBLE', boolean: 'BOOLEAN' };

/**
 * A check for `compare`: returns the size of a peer's output. Once per peer, it also compares the rows of all: the
 * number of values of each column, their sum (numbers), minimum and maximum.
 */
export function sameRows({ header }) {
  const columns = columnsOf(header);
  const seen = new Set();
  let expected;
  return async (peer, folder) => {
    // Provenance notes and downloaded day files are not part of the output.
    const isOutput = (name) => !name.startsWith('.') && !name.endsWith('.csv.gz');
    const names = (await readdir(folder)).filter(isOutput);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
    const output = sizes.reduce((sum, size) => sum + size, 0);
    if (peer.leavesNothing || seen.has(peer.name)) return { output };
    seen.add(peer.name);
    const facts = await factsOf(folder, names, columns);
    expected ??= facts;
    const differs = Object.keys(expected).filter((fact) => !isSame(expected[fact], facts[fact]));
    if (facts.rows !== peer.rows) throw new Error(`${peer.name}: ${facts.rows} rows, not ${peer.rows}`);
    if (differs.length > 0) {
      const found = differs.slice(0, 3).map((fact) => `${fact} ${facts[fact]}, not ${expected[fact]}`);
      throw new Error(`${peer.name}: ${found.join('; ')}`);
    }
    return { output };
  };
}

async function factsOf(folder, names, columns) {
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  const isJson = names[0]?.endsWith('.ndjson');
  const facts = columns.flatMap(({ name, kind }, at) => {
    const column = `"${name}"`;
    const value = kind === 'time' && !isJson ? `epoch_us(${column})` : column;
    const common = [`count(${column})`, `min(${value})`, `max(${value})`];
    const all = kind === 'number' ? [...common, `sum(abs(${column}))`] : common;
    return all.map((fact, which) => `${cast(fact, kind)} AS "${name} ${which} ${at}"`);
  });
  const types = columns.map(({ name, kind }) => `'${name}': '${JSON_TYPES[kind]}'`).join(', ');
  const from = isJson
    ? `read_json('${folder}/*.ndjson', format = 'newline_delimited', columns = {${types}})`
    : `read_parquet('${folder}/*.parquet')`;
  const read = `SELECT count(*)::DOUBLE AS rows, ${facts.join(', ')} FROM ${from}`;
  const [row] = (await connection.runAndReadAll(read)).getRowObjects();
  return row;
}

function cast(fact, kind) {
  return kind === 'text' || kind === 'boolean' ? `${fact}::VARCHAR` : `${fact}::DOUBLE`;
}

/** Sums of doubles depend slightly on their order. */
function isSame(a, b) {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b;
  return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}
