// Start time of a command: --help, the conversion of a tiny file, a download's first request.
//   node bench/start.js [--rounds <n>]
// TICKHAUL_OLD is the path of an older build's command: both run in turn, and the ratios are printed.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { KINDS } from './lib/kinds.js';
import { measure } from './lib/measure.js';
import { untilFirstRequest } from './lib/moment.js';
import { withScratch } from './lib/scratch.js';
import { OLD_TICKHAUL, TICKHAUL } from './lib/service.js';
import { median, ratios, table } from './lib/table.js';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' } } });
const rounds = Math.max(1, Number(values.rounds) || 15);
const TRADES = KINDS.find(({ name }) => name === 'trades');

/** Maximum ratio to the older build's time, where an aim is set. */
const STARTS = [
  { name: '--help', run: (bin, folder) => timed([bin, '--help'], {}, folder) },
  {
    name: 'convert, 10 rows',
    most: 0.8,
    run: (bin, folder) =>
      timed([bin, 'convert', join(folder, '..', tinyName()), '--out', folder], {}, folder),
  },
  {
    name: 'download, first request',
    most: 0.75,
    run: (bin, folder) => {
      const selection = ['-t', 'trades', '-s', 'BTCUSDT', '--date', '2024-03-01', '-o', folder];
      const command = [process.execPath, bin, 'download', 'binance-futures', ...selection];
      return untilFirstRequest(command, { TICKHAUL_API_KEY: 'none', XDG_CACHE_HOME: folder });
    },
  },
];

await withScratch(async (scratch) => {
  await writeFile(join(scratch, tinyName()), tinyFile());
  const builds = [['new', TICKHAUL], ...(OLD_TICKHAUL ? [['older', OLD_TICKHAUL]] : [])];
  const lines = [];
  for (const start of STARTS) {
    const runs = builds.map(() => ({ measured: [] }));
    // The first round loads the files into memory, and is not counted.
    for (let round = -1; round < rounds; round++) {
      for (const [index, [, bin]] of builds.entries()) {
        const result = await inFolder(join(scratch, 'output'), (folder) => start.run(bin, folder));
        if (round >= 0) runs[index].measured.push(result);
      }
    }
    lines.push(lineOf(start, runs));
  }
  const header = ['ms', 'wall', 'CPU', 'older wall', 'older CPU', 'wall / older', 'aim'];
  process.stdout.write(
    `${availableParallelism()} processors, Node ${process.version}, median of ${rounds} rounds\n\n` +
      `${table([header, ...lines])}\n`,
  );
});

function lineOf({ name, most }, runs) {
  const figures = runs.flatMap(({ measured }) =>
    ['wall', 'cpu'].map((figure) => milliseconds(measured, figure)),
  );
  const ratio = runs.length > 1 ? median(ratios(runs[0], runs[1])) : Number.NaN;
  const verdict = ratio <= most ? 'met' : 'missed';
  const aim = most === undefined ? '-' : `at most ${most}${Number.isFinite(ratio) ? `, ${verdict}` : ''}`;
  return [name, ...figures, ...(runs.length > 1 ? [] : ['-', '-']), ratio.toFixed(2), aim];
}

function milliseconds(measured, figure) {
  const value = median(measured.map((one) => one[figure]));
  return Number.isFinite(value) ? (value * 1000).toFixed(0) : '-';
}

function timed(args, env, folder) {
  return measure([process.execPath, ...args], env, join(folder, 'usage'));
}

async function inFolder(folder, work) {
  await mkdir(folder);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, maxRetries: 9 });
  }
}

function tinyName() {
  return `binance-futures_trades_2020-09-01_BTCUSDT.csv.gz`;
}

function tinyFile() {
  const rows = TRADES.make(1, TRADES.symbol);
  return gzipSync(TRADES.header + Array.from({ length: 10 }, () => `${rows.next().value}\n`).join(''));
}
