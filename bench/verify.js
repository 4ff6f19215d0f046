// Verification of a download folder: tickhaul beside gzip's own check with all processors. See docs/benchmarks.md.
//   node bench/verify.js [--rounds <n>] [--only small|large]
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare, sizeOf } from './lib/compare.js';
import { makeLargeFiles, makeSmallFiles } from './lib/data.js';
import { measure } from './lib/measure.js';
import { withScratch } from './lib/scratch.js';
import { TICKHAUL } from './lib/service.js';
import { formatRuns } from './lib/table.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string' } },
});
const rounds = Math.max(1, Number(values.rounds) || 5);
const processors = availableParallelism();

process.stdout.write(`${processors} processors, Node ${process.version}, median of ${rounds} rounds\n`);
if (values.only !== 'large') await withScratch(smallFiles);
if (values.only !== 'small') await withScratch(largeFiles);

/** 10,000 files, dominated by the cost per file. */
async function smallFiles(scratch) {
  const folder = join(scratch, 'datasets');
  await makeSmallFiles(folder, {
    symbols: Array.from({ length: 500 }, (_, at) => `COIN${at + 100}USDT`),
    types: ['quotes', 'trades'],
    days: Array.from({ length: 10 }, (_, at) => `2024-03-${String(at + 1).padStart(2, '0')}`),
  });
  await report('small files', folder, scratch, [gzipTest(folder, 1), gzipTest(folder, 100)]);
}

/** 4 GB, dominated by the cost per byte. */
async function largeFiles(scratch) {
  const folder = join(scratch, 'datasets');
  await makeLargeFiles(folder, {
    symbols: Array.from({ length: 62 }, (_, at) => `COIN${at + 10}USDT`),
    type: 'incremental_book_L2',
    day: '2024-03-01',
    bytes: 64_000_000,
  });
  await report('large files', folder, scratch, [gzipTest(folder, 1)]);
}

async function report(title, folder, scratch, others) {
  const { count, bytes } = await sizeOf(folder);
  // Creates the manifest, and loads the files into memory for all peers.
  const [adopt, env] = verify(folder, '', '--adopt').command();
  await measure(adopt, env, join(scratch, 'usage'));
  const peers = [
    verify(folder, 'tickhaul verify'),
    verify(folder, 'tickhaul verify --quick', '--quick'),
    ...others,
  ];
  const onRun = ({ name }, round, { wall }) =>
    process.stderr.write(`round ${round + 1}: ${name} ${wall.toFixed(2)} s\n`);
  const runs = await compare(peers, { rounds, scratch, onRun, check: () => ({}) });
  process.stdout.write(`\n${count} ${title}, ${(bytes / 1e6).toFixed(0)} MB\n\n${formatRuns(runs)}\n`);
}

function verify(folder, name, ...flags) {
  return { name, command: () => [[process.execPath, TICKHAUL, 'verify', '--dir', folder, ...flags], {}] };
}

/** Checks gzip's checksums only. */
function gzipTest(folder, perProcess) {
  const check = `find "$1" -name "*.csv.gz" -print0 | xargs -0 -n ${perProcess} -P ${processors} gzip -t`;
  return {
    name: `xargs -P ${processors} -n ${perProcess} gzip -t`,
    command: () => [['sh', '-c', check, 'sh', folder], {}],
  };
}
