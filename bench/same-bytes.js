// Checks that outputs have the same bytes as those of an older build: every kind of day file, every option that changes
// bytes, computed types, exports and conversions on arrival, with several releases of Node, with one thread and with
// several. Run it before a change of the engine is complete.
//   TICKHAUL_OLD=<path of an older build's command> node bench/same-bytes.js [--node <path of a node>]…
//     [--samples <folder of .csv files>] [--scale <n>] [--only <part of a file's name>] [--options <part of the options>]
// Both builds run on the same Node, since releases of Node have other releases of zstd, whose bytes may differ.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { dayFile } from './lib/day-file.js';
import { HARD_KINDS, KINDS } from './lib/kinds.js';
import { withScratch } from './lib/scratch.js';
import { OLD_TICKHAUL, startService, TICKHAUL } from './lib/service.js';

const { values } = parseArgs({
  options: {
    node: { type: 'string', multiple: true, default: [] },
    samples: { type: 'string' },
    // Enough rows for several batches of each kind, and for a file that gets separate threads.
    scale: { type: 'string', default: '0.1' },
    only: { type: 'string', default: '' },
    options: { type: 'string', default: '' },
  },
});
if (!OLD_TICKHAUL) throw new Error('TICKHAUL_OLD is missing: the command of the build to compare with');
const run = promisify(execFile);

const CONVERSIONS = [
  '',
  '--compression snappy',
  '--compression gzip',
  '--compression none',
  '--row-group 1000',
  '--encodings plain',
  '--times int',
  '--numbers string',
  '--times int --numbers string --row-group 4097 --compression none',
  '--format ndjson',
  '--format ndjson --times iso',
  '--format ndjson --numbers string',
  '--format ndjson --compression gzip',
  '--format ndjson --compression zstd',
  '--format arrow',
  '--format arrow --compression lz4',
  '--format arrow --compression zstd --times int',
  '--format arrow --numbers string --row-group 1000',
];

/** Types that are computed from each data type, and the options that change their bytes. */
const COMPUTED = {
  trades: 'trade_bar_1s,trade_bar_100ticks,trade_bar_1000vol',
  incremental_book_L2: 'book_snapshot_25_100ms,quote_1s',
};
const COMPUTED_OPTIONS = [
  '',
  '--encodings plain --compression none',
  '--numbers string --row-group 1000',
  '--times int',
  '--format ndjson',
  '--format ndjson --times iso --numbers string',
  '--format arrow',
  '--format arrow --numbers string --compression lz4',
];

const NAUTILUS = '--offline --price-precision 2 --size-precision 3 --instrument-id BTCUSDT-PERP.BINANCE';
/** Exports of each data type. */
const EXPORTS = {
  trades: [
    `nautilus ${NAUTILUS}`,
    `nautilus --as trade_bar_1m ${NAUTILUS}`,
    'freqtrade --pair BTC/USDT:USDT',
  ],
  incremental_book_L2: [`nautilus ${NAUTILUS}`],
  quotes: [`nautilus ${NAUTILUS}`],
  book_snapshot_25: [`nautilus ${NAUTILUS}`],
};

/** Downloads from the embedded service, which convert on arrival. */
const DOWNLOADS = [
  '--convert parquet',
  '--convert parquet --as rows,trade_bar_1m,book_snapshot_5_1s',
  '--convert ndjson --compression zstd',
  '--convert ndjson --as trade_bar_1m',
  '--convert arrow --as rows,trade_bar_1m',
].map(
  (text) =>
    `binance-futures --type trades,incremental_book_L2 --symbol BTCUSDT --date 2024-03-01 --no-keep-csv ${text}`,
);

/** All processors, or one processor, on which the main thread does all work. */
const HOLDS = [[], ['taskset', '-c', '0']];

let compared = 0;
await withScratch(async (scratch, cleanUp) => {
  const sources = (await allSources(scratch)).filter(({ path }) => path.includes(values.only));
  for (const { path, type } of sources) {
    const computed =
      (COMPUTED[type] && COMPUTED_OPTIONS.map((text) => `--as ${COMPUTED[type]} ${text}`)) ?? [];
    for (const text of [...CONVERSIONS, ...computed]) await compare(scratch, `convert ${text}`, path);
    for (const text of EXPORTS[type] ?? []) await compare(scratch, `export ${text}`, path);
    process.stderr.write(`${basename(path)}: compared\n`);
  }
  // An array for hftbacktest is made of two files.
  const pair = sources.filter(({ type }) => type === 'trades' || type === 'incremental_book_L2');
  if (pair.length === 2)
    for (const text of ['', '--snapshots ignore-sod --base-latency 1ms'])
      await compare(scratch, `export hftbacktest ${text}`, ...pair.map(({ path }) => path));
  if ('download'.includes(values.only)) {
    const service = await startService();
    cleanUp(service.stop);
    Object.assign(process.env, service.env);
    for (const text of DOWNLOADS) await compare(scratch, `download ${text}`);
  }
  process.stdout.write(`${compared} outputs compared\n`);
});

async function allSources(scratch) {
  const made = [];
  for (const kind of [...KINDS, ...HARD_KINDS]) {
    const { path } = await dayFile(kind, { scale: Number(values.scale) });
    // The exports are of the instrument of the first kinds.
    made.push({ path, type: KINDS.includes(kind) ? kind.type : undefined });
  }
  if (values.samples === undefined) return made;
  const names = (await readdir(values.samples)).filter((name) => name.endsWith('.csv'));
  for (const name of names) {
    const path = join(scratch, `${name}.gz`);
    await writeFile(path, gzipSync(await readFile(join(values.samples, name))));
    made.push({ path, type: undefined });
  }
  return made;
}

/** Compares the outputs of a command on each Node, with all processors and with one. */
async function compare(scratch, text, ...paths) {
  if (!text.includes(values.options)) return;
  const args = [...text.split(' ').filter(Boolean), ...paths];
  for (const node of [process.execPath, ...values.node]) {
    const expected = await digest(scratch, [node, OLD_TICKHAUL, ...args]);
    if (expected.startsWith('code ')) process.stderr.write(`fails: ${text}: ${expected}\n`);
    for (const hold of HOLDS) {
      const found = await digest(scratch, [...hold, node, TICKHAUL, ...args]);
      compared++;
      if (found === expected) continue;
      process.exitCode = 1;
      process.stdout.write(
        `differs: ${paths.map((path) => basename(path)).join(' ')}, ${[...hold, node, text].join(' ')}: ${found}\n`,
      );
    }
  }
}

/** The sha256 of the names and bytes of a command's outputs, or its error message. */
async function digest(scratch, command) {
  const folder = join(scratch, 'output');
  await mkdir(folder);
  const [program, ...args] = [...command, '-o', folder];
  try {
    await run(program, args);
    const hash = createHash('sha256');
    let files = 0;
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    for (const path of paths.sort()) {
      // Records of a run have times.
      if (path.includes('.tickhaul')) continue;
      files++;
      hash.update(path).update(await readFile(path));
    }
    return files > 0 ? hash.digest('hex') : 'code 0: no outputs';
  } catch (error) {
    return `code ${error.code}: ${error.stderr}`;
  } finally {
    await rm(folder, { recursive: true });
  }
}
