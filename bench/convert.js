// Conversions of day files: tickhaul beside nodejs-polars, DuckDB and the writers of npm. See docs/benchmarks.md.
//   node bench/convert.js [--rounds <n>] [--only book|trades|snapshots|files|ndjson] [--scale <part of all rows>]
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatAims } from './lib/aims.js';
import { compare } from './lib/compare.js';
import { dayFile } from './lib/convert-data.js';
import { converters } from './lib/convert-peers.js';
import { sameRows } from './lib/outputs.js';
import { bookRows, snapshotRows, tradeRows } from './lib/rows.js';
import { withScratch } from './lib/scratch.js';
import { formatRuns } from './lib/table.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
    scale: { type: 'string', default: '1' },
  },
});
const rounds = Math.max(1, Number(values.rounds) || 3);
const scale = Number(values.scale) || 1;
/** Made once, since that takes a minute. */
const cache = join(tmpdir(), 'tickhaul-bench-day-files');

const BOOK = { type: 'incremental_book_L2', rows: 10_000_000 * scale, make: bookRows };
const TRADES = { type: 'trades', rows: 2_000_000 * scale, make: tradeRows };
const SNAPSHOTS = { type: 'book_snapshot_25', rows: 200_000 * scale, make: snapshotRows };
const FILES = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT'];

const SECTIONS = {
  book: () => oneFile(BOOK),
  trades: () => oneFile(TRADES),
  snapshots: () => oneFile(SNAPSHOTS),
  files,
  ndjson,
};

process.stdout.write(
  `${availableParallelism()} processors, Node ${process.version}, median of ${rounds} rounds\n`,
);
const results = {};
for (const [name, section] of Object.entries(SECTIONS)) {
  if (values.only === undefined || values.only === name) results[name] = await section();
}
process.stdout.write(`\nAgainst the aims:\n\n${formatAims(results)}\n`);

async function oneFile(data) {
  const of = converters(data.type, [await dayFile(cache, data)], data.rows);
  const tenth = { ...data, rows: data.rows / 10 };
  const ofTenth = converters(tenth.type, [await dayFile(cache, tenth)], tenth.rows);
  return report(`${data.rows.toLocaleString('en')} rows of ${data.type}, one file`, data.type, [
    of.tickhaul(),
    of.polars(),
    of.duckdb(),
    of.hyparquetWriter(),
    ofTenth.parquetjsLite(),
    of.gunzip(),
  ]);
}

async function files() {
  const paths = [];
  for (const [index, symbol] of FILES.entries())
    paths.push(await dayFile(cache, { ...BOOK, symbol, seed: index + 1 }));
  const of = converters(BOOK.type, paths, FILES.length * BOOK.rows);
  return report(`${FILES.length} such files of incremental_book_L2, two processors`, BOOK.type, [
    of.tickhaul('-j', '2'),
    of.polars(),
    of.polarsByFile(),
    of.duckdb(),
  ]);
}

async function ndjson() {
  const of = converters(BOOK.type, [await dayFile(cache, BOOK)], BOOK.rows);
  return report(`the file of incremental_book_L2 to NDJSON`, BOOK.type, [
    of.tickhaul('--format', 'ndjson'),
    of.duckdbJson(),
  ]);
}

async function report(title, type, peers) {
  let runs;
  await withScratch(async (scratch) => {
    const onRun = ({ name }, round, { wall }) =>
      process.stderr.write(`round ${round + 1}: ${name} ${wall.toFixed(2)} s\n`);
    runs = await compare(peers, { files: [], rounds, scratch, onRun, check: sameRows(type) });
  });
  process.stdout.write(`\n### ${title}\n\n${formatRuns(runs)}\n`);
  return runs;
}
