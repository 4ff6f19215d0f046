// Conversions of six kinds of day files: tickhaul beside nodejs-polars and DuckDB. See docs/benchmarks.md.
//   node bench/convert.js [--rounds <n>] [--scale <n>] [--only <words>] [--processors <n>,<n>…]
// --rounds  number of rounds, each with all peers in turn (default 5)
// --scale   factor of the rows of each kind (default 1: 250,000 to 5 million); files are generated once per scale
// --only    sections that match all these words, separated by commas: a kind (trades), parquet, ndjson, files, download;
//           "hard" for the two kinds that are skipped by default. Repeatable.
// --processors <n>,<n>…  instead of all sections on two processors: one file of each kind and sixteen of trades, to
//           Parquet, on each of these numbers of processors; numbers larger than the machine's are skipped
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { formatAims, predictedShares, sectionOn } from './lib/aims.js';
import { compare } from './lib/compare.js';
import { converters } from './lib/convert-peers.js';
import { dayFile, linksTo } from './lib/day-file.js';
import { downloadPeers } from './lib/download-peers.js';
import { HARD_KINDS, KINDS } from './lib/kinds.js';
import { sameRows } from './lib/outputs.js';
import { withScratch } from './lib/scratch.js';
import { startService } from './lib/service.js';
import { formatSummary } from './lib/summary.js';
import { formatRuns, span } from './lib/table.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    processors: { type: 'string' },
  },
});
const rounds = Math.max(1, Number(values.rounds) || 5);
const scale = Number(values.scale) || 1;
const [BOOK, TRADES] = KINDS;
const ALL_KINDS = [...KINDS, ...HARD_KINDS];

process.stdout.write(
  `${availableParallelism()} processors, Node ${process.version}, median of ${rounds} rounds, scale ${scale}\n`,
);
const SECTIONS = values.processors === undefined ? sectionsOnTwo() : processorCounts().flatMap(sectionsOn);
const results = {};
for (const { name, run } of SECTIONS.filter(isWanted)) results[name] = await run();
process.stdout.write(`\n### Together\n\n${formatSummary(results)}\n`);
process.stdout.write(`\n### Against the aims\n\n${formatAims(results)}\n`);

function sectionsOnTwo() {
  return [
    ...ALL_KINDS.flatMap((kind) => [
      parquetSection(kind, kind.name),
      { words: wordsOf(kind, 'ndjson'), name: `${kind.name} to NDJSON`, run: () => toNdjson(kind) },
    ]),
    { words: ['files'], name: 'files', run: files },
    { words: ['download'], name: 'download --convert', run: download },
  ];
}

function sectionsOn(processors) {
  return [
    ...ALL_KINDS.map((kind) => parquetSection(kind, sectionOn(kind.name, processors), processors)),
    { words: ['files'], name: sectionOn('sixteen files', processors), run: () => sixteenFiles(processors) },
  ];
}

function parquetSection(kind, name, processors) {
  return { words: wordsOf(kind, 'parquet'), name, run: () => toParquet(kind, name, processors) };
}

/** The numbers in `--processors` for which this machine has enough; prints the others. */
function processorCounts() {
  const counts = values.processors.split(',').map(Number);
  if (!counts.every((count) => Number.isInteger(count) && count > 0))
    throw new Error(`--processors ${values.processors}: expected positive integers with commas`);
  const available = availableParallelism();
  return counts.filter((count) => {
    if (count > available)
      process.stdout.write(`skipping ${count} processors: this machine has ${available}\n`);
    return count <= available;
  });
}

function wordsOf(kind, format) {
  return [kind.name, format, ...(HARD_KINDS.includes(kind) ? ['hard'] : [])];
}

function isWanted({ words }) {
  const wanted = (values.only ?? ['']).map((only) => only.split(',').filter(Boolean));
  const isNamed = (only) => !words.includes('hard') || only.includes('hard') || only.includes(words[0]);
  return wanted.some((only) => only.every((word) => words.includes(word)) && isNamed(only));
}

async function toParquet(kind, name, processors) {
  const { path, rows } = await dayFile(kind, { scale });
  const of = converters(kind, [path], rows, processors);
  const jobs = processors === undefined ? [] : ['-j', String(processors)];
  return report(`${rowsText(rows)} of ${name}, to Parquet`, kind, [
    of.tickhaul(...jobs),
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
    of.polars(),
    of.polarsByFile(),
    of.duckdb(),
  ]);
}

/** Sixteen links to one file of trades, and that file alone. */
async function sixteenFiles(processors) {
  const { path, rows } = await dayFile(TRADES, { scale });
  const sources = await linksTo(path, 16);
  const of = converters(TRADES, sources, rows * sources.length, processors);
  const jobs = ['-j', String(processors)];
  const one = converters(TRADES, [path], rows, processors).tickhaul(...jobs);
  const title = `sixteen files of ${TRADES.name}, ${rowsText(rows)} each, to Parquet on ${processors} processors`;
  const runs = await report(title, TRADES, [
    of.tickhaul(...jobs),
    of.polars(),
    of.polarsByFile(),
    of.duckdb(),
    of.duckdbByFile(),
    // Its rows are not those of the other peers.
    { ...one, name: 'tickhaul, one file', leavesNothing: true },
  ]);
  const shares = predictedShares(runs, processors);
  process.stdout.write(`\nShare of the wall time that the CPU time of one file predicts: ${span(shares)}\n`);
  return runs;
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
