// Where a conversion spends its time, and how one file would scale: the stages of the reading thread (MD5, gunzip,
// splitting into batches) and of the kernels (parse, encode, compress), each alone in one thread.
//   node bench/stages.js [--format parquet|ndjson] [--only <kind>] [--rounds <n>] [--scale <n>]
// TICKHAUL_DIST is the dist folder of another build to use.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { dayFile } from './lib/day-file.js';
import { HARD_KINDS, KINDS } from './lib/kinds.js';
import { stagesOf } from './lib/stages.js';
import { table } from './lib/table.js';

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
const PROCESSORS = [1, 2, 4, 8];

const lines = [];
for (const kind of only === undefined ? KINDS : [...KINDS, ...HARD_KINDS]) {
  if (only !== undefined && only !== kind.name) continue;
  const { path } = await dayFile(kind, { scale });
  const job = { kind, path, format, compression: format === 'parquet' ? 'zstd' : 'none' };
  lines.push(lineOf(kind.name, await stagesOf(job, rounds)));
}
const header = [
  ['', 'gunzip, md5', 'cut', 'parse', 'encode', 'compress'],
  ['reader', 'kernels', 'kernels a reader feeds'],
  PROCESSORS.map((count) => (count === 1 ? 's on 1' : `on ${count}`)),
].flat();
process.stdout.write(
  `${availableParallelism()} processors, Node ${process.version}, least of ${rounds} rounds, scale ${scale}, seconds, to ${format}\n\n` +
    `${table([header, ...lines])}\n\n` +
    'The last columns are reckoned: all work over so many processors, and never less than the reader takes.\n',
);

function lineOf(name, { read, cut, parse, encode, compress }) {
  const reader = read + cut;
  const kernels = parse + encode + compress;
  const reckoned = PROCESSORS.map((count) => Math.max(reader, (reader + kernels) / count));
  const times = [read, cut, parse, encode, compress, reader, kernels];
  return [name, ...times.map(seconds), (kernels / reader).toFixed(1), ...reckoned.map(seconds)];
}

function seconds(value) {
  return value.toFixed(2);
}
