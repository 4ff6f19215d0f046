// Exports of a day beside the conversion of the same files to Parquet, in turn. See docs/benchmarks.md.
//   node bench/export.js [--scale <n>] [--rounds <n>] [--only <target>|arrow]
import { spawnSync } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { onTwo } from './lib/convert-peers.js';
import { dayFile } from './lib/day-file.js';
import { KINDS } from './lib/kinds.js';
import { withScratch } from './lib/scratch.js';
import { onRun, readOptions, report, runSections } from './lib/sections.js';
import { TICKHAUL } from './lib/service.js';

/** Compresses the array of an NPZ file as numpy does, and prints the ratio of the sizes. */
const NUMPY_SIZE = `
import io, os, sys, numpy
out = io.BytesIO()
numpy.savez_compressed(out, data=numpy.load(sys.argv[1])['data'])
print(f'{os.path.getsize(sys.argv[1]) / len(out.getvalue()):.3f} of the size that numpy.savez_compressed gives')
`;

/** The converter of hftbacktest itself, in Python. Its arguments are the trades, the book and the output. */
const HFTBACKTEST = `
import sys
from hftbacktest.data.utils.tardis import convert
convert(sys.argv[1:3], sys.argv[3])
`;

const options = readOptions();

/** Decimals and id of the made-up instrument, in place of metadata. */
const NAUTILUS_FLAGS = [
  '--offline',
  ...['--price-precision', '2', '--size-precision', '3'],
  ...['--instrument-id', 'BTCUSDT-PERP.BINANCE'],
];

await runSections(
  {
    hftbacktest: () => withScratch(hftbacktest),
    nautilus: () => withScratch(nautilus),
    freqtrade: () => withScratch(freqtrade),
    arrow: () => withScratch(arrow),
  },
  options,
);

/** 5 million rows of a book and 1 million trades. */
async function hftbacktest(scratch) {
  const book = await generate('incremental_book_L2', 1);
  const trades = await generate('trades', 1 / 3);
  const sizes = new Set();
  const check = async ({ name }, folder) => {
    const [path] = (await readdir(folder)).filter((file) => file.endsWith('.npz'));
    if (path && sizes.size === 0) {
      const { stdout, status } = spawnSync('python3', ['-c', NUMPY_SIZE, join(folder, path)]);
      sizes.add(status === 0 ? `${name}: ${stdout}` : 'numpy is absent: sizes are not compared\n');
    }
    return { output: await bytesIn(folder) };
  };
  const more = [];
  if (spawnSync('python3', ['-c', 'import hftbacktest.data.utils.tardis']).status === 0)
    more.push({
      name: "hftbacktest's converter",
      rows: book.rows + trades.rows,
      command: (folder) => [
        onTwo(['python3', '-c', HFTBACKTEST, trades.path, book.path, join(folder, 'output.npz')]),
      ],
    });
  else process.stdout.write('hftbacktest is absent: its converter is not compared\n');
  await compareWithConvert('hftbacktest', [book, trades], { scratch, check, more });
  for (const line of sizes) process.stdout.write(`\n${line}`);
}

/** 3 million trades: one file of trades, and one of candles. */
async function freqtrade(scratch) {
  const check = async (_peer, folder) => ({ output: await bytesIn(folder) });
  const flags = ['--pair', 'BTC/USDT:USDT'];
  await compareWithConvert('freqtrade', [await generate('trades', 1)], { scratch, check, flags });
}

async function nautilus(scratch) {
  const check = async (_, folder) => ({ output: await bytesIn(folder) });
  for (const name of ['incremental_book_L2', 'trades', 'quotes', 'book_snapshot_25']) {
    const file = await generate(name, 1);
    await compareWithConvert('nautilus', [file], { scratch, check, flags: NAUTILUS_FLAGS, kind: name });
  }
}

/** Conversion to Arrow, with its default and with each compression. */
async function arrow(scratch) {
  const check = async (_, folder) => ({ output: await bytesIn(folder) });
  for (const name of ['incremental_book_L2', 'trades']) {
    const file = await generate(name, 1);
    for (const compression of ['none', 'lz4', 'zstd']) {
      const words = ['convert', '-f', 'arrow', '--compression', compression];
      await compareWithConvert(`Arrow, ${compression}`, [file], { scratch, check, words, kind: name });
    }
  }
}

/**
 * @param words of the command; by default an export to the target.
 * @param more peers.
 */
async function compareWithConvert(
  target,
  files,
  { scratch, check, kind, flags = [], words = ['export', target, ...flags], more = [] },
) {
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const paths = files.map(({ path }) => path);
  const peer = (name, ...args) => ({
    name,
    rows,
    command: (folder) => [onTwo([process.execPath, TICKHAUL, ...args, ...paths, '-o', folder, '-q'])],
  });
  const peers = [
    peer('tickhaul convert', 'convert'),
    peer(`tickhaul ${words.slice(0, 3).join(' ')}`, ...words),
    ...more,
  ];
  await report(`${rows.toLocaleString('en')} rows${kind ? ` of ${kind}` : ''} to ${target}`, peers, {
    ...options,
    scratch,
    check,
    onRun,
  });
}

function generate(name, scale) {
  const kind = KINDS.find((known) => known.name === name);
  return dayFile(kind, { scale: scale * options.scale });
}

async function bytesIn(folder) {
  const names = await readdir(folder, { recursive: true });
  const infos = await Promise.all(names.map((name) => stat(join(folder, name))));
  return infos.reduce((sum, info) => sum + (info.isFile() ? info.size : 0), 0);
}
