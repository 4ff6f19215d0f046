// Audit of day files beside their conversion to Parquet, in turn, and a second audit of many files. See
// docs/benchmarks.md.
//   node bench/audit.js [--scale <n>] [--rounds <n>] [--only <kind>|files]
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './lib/compare.js';
import { converters } from './lib/convert-peers.js';
import { makeSmallFiles } from './lib/data.js';
import { dayFile } from './lib/day-file.js';
import { HARD_KINDS, KINDS } from './lib/kinds.js';
import { measure } from './lib/measure.js';
import { withScratch } from './lib/scratch.js';
import { TICKHAUL } from './lib/service.js';
import { formatRuns } from './lib/table.js';

/** Kinds whose checks SQL can count. */
const SQL_KINDS = ['trades', 'quotes', 'trades-uuid'];
const NAMES = ['trades', 'quotes', 'incremental_book_L2', 'trades-uuid'];

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
  },
});
const rounds = Math.max(1, Number(values.rounds) || 5);
const scale = Number(values.scale) || 4;

process.stdout.write(`${availableParallelism()} processors, Node ${process.version}, ${rounds} rounds\n`);
for (const kind of [...KINDS, ...HARD_KINDS].filter(({ name }) => NAMES.includes(name)))
  if (values.only === undefined || values.only === kind.name)
    await withScratch((scratch) => oneFile(kind, scratch));
if (values.only === undefined || values.only === 'files') await withScratch(manyFiles);

/** One file: it is outside of a download folder, so that each audit reads it. */
async function oneFile(kind, scratch) {
  const { path, rows } = await dayFile(kind, { scale });
  const convert = (folder) => ['convert', path, '-o', folder, '-q'];
  const peers = [
    { name: 'tickhaul audit', rows, command: () => tickhaul('audit', '--offline', '-q', path) },
    { name: 'tickhaul convert', rows, command: (folder) => tickhaul(...convert(folder)) },
    ...(SQL_KINDS.includes(kind.name) ? [converters(kind, [path], rows).duckdbAudit()] : []),
  ];
  const runs = await compare(peers, { rounds, scratch, onRun, check: () => ({}) });
  process.stdout.write(`\n${rows.toLocaleString('en')} rows of ${kind.name}\n\n${formatRuns(runs)}\n`);
}

/** 10,000 files that were audited before: only the log is read. */
async function manyFiles(scratch) {
  const folder = join(scratch, 'datasets');
  await makeSmallFiles(folder, {
    symbols: Array.from({ length: 1000 }, (_, at) => `COIN${at + 100}USDT`),
    types: ['incremental_book_L2'],
    days: Array.from({ length: 10 }, (_, at) => `2024-03-${String(at + 1).padStart(2, '0')}`),
  });
  const audit = () => tickhaul('audit', '--offline', '-q', '--dir', folder);
  await measure(...audit(), join(scratch, 'usage'));
  const peers = [{ name: 'tickhaul audit, again', command: audit }];
  const runs = await compare(peers, { rounds, scratch, onRun, check: () => ({}) });
  process.stdout.write(`\n10,000 audited files\n\n${formatRuns(runs)}\n`);
}

function tickhaul(...args) {
  return [[process.execPath, TICKHAUL, ...args], {}];
}

function onRun({ name }, round, { wall }) {
  process.stderr.write(`round ${round + 1}: ${name} ${wall.toFixed(2)} s\n`);
}
