// Conversions of six kinds of day files: tickhaul beside nodejs-polars and DuckDB. See docs/benchmarks.md.
//   node bench/convert.js [--rounds <n>] [--scale <n>] [--only <words>]
// --rounds  number of rounds, each with all peers in turn (default 5)
// --scale   factor of the rows of each kind (default 1: 250,000 to 5 million); files are generated once per scale
// --only    sections that match all these words, separated by commas: a kind (trades), parquet, ndjson, files, download;
//           "hard" for the two kinds that are skipped by default. Repeatable.
// TICKHAUL_OLD is the path of an older build's command, which then runs beside the new one.
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { formatAims } from './lib/aims.js';
import { compare } from './lib/compare.js';
import { converters } from './lib/convert-peers.js';
import { dayFile } from './lib/day-file.js';
import { downloadPeers } from './lib/download-peers.js';
import { HARD_KINDS, KINDS } from './lib/kinds.js';
import { sameRows } from './lib/outputs.js';
import { withScratch } from './lib/scratch.js';
import { startService } from './lib/service.js';
import { formatSummary } from './lib/summary.js';
import { formatRuns } from './lib/table.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
  },
});
const rounds = Math.max(1, Number(values.rounds) || 5);
const scale = Number(values.scale) || 1;
const [BOOK] = KINDS;

const SECTIONS = [
  ...[...KINDS, ...HARD_KINDS].flatMap((kind) => [
    { words: wordsOf(kind, 'parquet'), name: kind.name, run: () => toParquet(kind) },
    { words: wordsOf(kind, 'ndjson'), name: `${kind.name} to NDJSON`, run: () => toNdjson(kind) },
  ]),
  { words: ['files'], name: 'files', run: files },
  { words: ['download'], name: 'download --convert', run: download },
];

process.stdout.write(
  `${availableParallelism()} processors, Node ${process.version}, median of ${rounds} rounds, scale ${scale}\n`,
);
const results = {};
for (const { name, run } of SECTIONS.filter(isWanted)) results[name] = await run();
process.stdout.write(`\n### Together\n\n${formatSummary(results)}\n`);
process.stdout.write(`\n### Against the aims\n\n${formatAims(results)}\n`);

function wordsOf(kind, format) {
  return [kind.name, format, ...(HARD_KINDS.includes(kind) ? ['hard'] : [])];
}

function isWanted({ words }) {
  const wanted = (values.only ?? ['']).map((only) => only.split(',').filter(Boolean));
  const isNamed = (only) => !words.includes('hard') || only.includes('hard') || only.includes(words[0]);
  return wanted.some((only) => only.every((word) => words.includes(word)) && isNamed(only));
}

async function toParquet(kind) {
  const { path, rows } = await dayFile(kind, { scale });
  const of = converters(kind, [path], rows);
  return report(`${rowsText(rows)} of ${kind.name}, to Parquet`, kind, [
    of.tickhaul(),
    ...of.olderTickhaul(),
    of.polars(),
    of.duckdb(),
    of.gunzip(),
  ]);
}

async function toNdjson(kind) {
  const { path, rows } = await dayFile(kind, { scale });
  const of = converters(kind, [path], rows);
  const flags = ['--format', 'ndjson'];
  return report(`${rowsText(rows)} of ${kind.name}, to NDJSON`, kind, [
    of.tickhaul(...flags),
    ...of.olderTickhaul(...flags),
    of.duckdbJson(),
  ]);
}

/** Four files with half of the rows. */
async function files() {
  const made = [];
  for (const [index, symbol] of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT'].entries())
    made.push(await dayFile(BOOK, { scale: scale / 2, seed: index + 1, symbol }));
  const rows = made.reduce((sum, file) => sum + file.rows, 0);
  const of = converters(
    BOOK,
    made.map(({ path }) => path),
    rows,
  );
  return report(`four files of ${BOOK.name}, ${rowsText(rows)}, to Parquet`, BOOK, [
    of.tickhaul('-j', '2'),
    ...of.olderTickhaul('-j', '2'),
    of.polars(),
    of.polarsByFile(),
    of.duckdb(),
  ]);
}

/** From the embedded service, a separate process that is not measured. */
async function download() {
  const file = await dayFile(BOOK, { scale });
  const service = await startService('--replay-dir', dirname(file.path));
  try {
    const peers = downloadPeers(BOOK, file, service);
    return await report(`${rowsText(file.rows)} of ${BOOK.name}, downloaded and converted`, BOOK, peers);
  } finally {
    await service.stop();
  }
}

async function report(title, kind, peers) {
  let runs;
  await withScratch(async (scratch) => {
    const onRun = ({ name }, round, { wall }) =>
      process.stderr.write(`round ${round + 1}: ${name} ${wall.toFixed(2)} s\n`);
    runs = await compare(peers, { files: [], rounds, scratch, onRun, check: sameRows(kind) });
  });
  process.stdout.write(`\n### ${title}\n\n${formatRuns(runs)}\n`);
  return runs;
}

function rowsText(rows) {
  return `${rows.toLocaleString('en')} rows`;
}
