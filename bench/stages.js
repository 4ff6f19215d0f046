// Where a conversion spends its time, and how one file would scale: the stages of one reading thread (MD5, gunzip,
// splitting into batches) and of the kernels (parse, encode, compress), each alone in one thread; and the CPU time of
// all threads of a conversion that sees 2, 4, 8 and 16 processors.
//   node bench/stages.js [--format parquet|ndjson] [--only <kind>] [--rounds <n>] [--scale <n>]
// TICKHAUL_DIST is the dist folder of another build to use.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { dayFile } from './lib/day-file.js';
import { HARD_KINDS, KINDS } from './lib/kinds.js';
import { withScratch } from './lib/scratch.js';
import { stagesOf } from './lib/stages.js';
import { table } from './lib/table.js';
import { threadTimes } from './lib/thread-times.js';

const { values } = parseArgs({
  options: {
    format: { type: 'string', default: 'parquet' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
  },
});
const { format, only } = values;
const rounds = Math.max(1, Number(values.rounds) || 3);
const scale = Number(values.scale) || 1;
const PROCESSORS = [2, 4, 8, 16];

const lines = [];
const threadLines = [];
for (const kind of only === undefined ? KINDS : [...KINDS, ...HARD_KINDS]) {
  if (only !== undefined && only !== kind.name) continue;
  const { path } = await dayFile(kind, { scale });
  const job = { kind, path, format, compression: format === 'parquet' ? 'zstd' : 'none' };
  lines.push(lineOf(kind.name, await stagesOf(job, rounds)));
  await withScratch(async (scratch) => {
    threadLines.push([kind.name, ...(await timesOfThreads(path, scratch)).flat()]);
  });
}
const header = ['', 'gunzip, md5', 'cut', 'parse', 'encode', 'compress', 'reader', 'kernels'];
const threadHeader = ['', ...PROCESSORS.flatMap((count) => [`busiest of ${count}`, 'all', 'wall at least'])];
process.stdout.write(
  `${availableParallelism()} processors, Node ${process.version}, least of ${rounds} rounds, scale ${scale}, seconds, to ${format}\n\n` +
    `${table([[...header, 'kernels a reader feeds'], ...lines])}\n\n` +
    'CPU time of the busiest thread and of all threads, of a conversion that sees this number of processors:\n\n' +
    `${table([threadHeader, ...threadLines])}\n\n` +
    'The wall time is reckoned: that of the busiest thread, and at least that of all threads over the processors.\n',
);

/** For each number of processors: the busiest thread, all threads, and the wall time they need at least. */
async function timesOfThreads(path, scratch) {
  const args = [path, '-o', scratch, '-q', '-f', format, '--existing', 'overwrite'];
  const found = [];
  for (const count of PROCESSORS) {
    const runs = [];
    for (let round = 0; round < rounds; round++) runs.push(await threadTimes(count, args));
    const busiest = Math.min(...runs.map((run) => run.busiest));
    const total = Math.min(...runs.map((run) => run.total));
    found.push([busiest, total, Math.max(busiest, total / count)].map(seconds));
  }
  return found;
}

function lineOf(name, { read, cut, parse, encode, compress }) {
  const reader = read + cut;
  const kernels = parse + encode + compress;
  const times = [read, cut, parse, encode, compress, reader, kernels];
  return [name, ...times.map(seconds), (kernels / reader).toFixed(1)];
}

function seconds(value) {
  return value.toFixed(2);
}
