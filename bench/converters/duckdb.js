// DuckDB: COPY from CSV to Parquet, or to NDJSON where FORMAT says so.
import { DuckDBInstance } from '@duckdb/node-api';
import { task } from './columns.js';

const TYPES = { text: 'VARCHAR', time: 'BIGINT', number: 'DOUBLE', boolean: 'BOOLEAN' };

const isJson = process.env.FORMAT === 'json';
const { columns, files } = task();
const types = columns.map(({ name, kind }) => `${quoted(name, "'")}: '${TYPES[kind]}'`).join(', ');
const selected = columns.map(({ name, kind }) => {
  const column = quoted(name, '"');
  return kind === 'time' && !isJson ? `make_timestamp(${column}) AS ${column}` : column;
});
const database = await DuckDBInstance.create(':memory:');
const connection = await database.connect();
for (const { source, target } of files) {
  const rows = `SELECT ${selected} FROM read_csv(${quoted(source, "'")}, header = true, columns = {${types}})`;
  const to = isJson
    ? `'${target}.ndjson' (FORMAT json)`
    : `'${target}.parquet' (FORMAT parquet, COMPRESSION zstd)`;
  await connection.run(`COPY (${rows}) TO ${to}`);
}

function quoted(text, quote) {
  return `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
}
