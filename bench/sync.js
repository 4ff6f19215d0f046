// Sync runs without new files: a manifest of 100,000 and of 1,000,000 day files. See docs/benchmarks.md.
//   node bench/sync.js [--rounds <n>] [--files <n>]
import { mkdir, open, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './lib/compare.js';
import { withScratch } from './lib/scratch.js';
import { onRun } from './lib/sections.js';
import { TICKHAUL } from './lib/service.js';
import { formatRuns } from './lib/table.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, files: { type: 'string', multiple: true } },
});
const rounds = Math.max(1, Number(values.rounds) || 3);
const sizes = (values.files ?? ['100000', '1000000']).map(Number);

const DAYS = 1000;
const DAY_MS = 86_400_000;
const END_MS = Date.UTC(2024, 2, 10);
const FROM = dayText(END_MS - DAYS * DAY_MS);
await withScratch(async (scratch, cleanUp) => {
  for (const files of sizes) {
    const symbols = Array.from({ length: Math.round(files / DAYS) }, (_, index) => `COIN${index}USDT`);
    const dir = join(scratch, String(files));
    await fill(dir, symbols);
    const record = JSON.stringify(recordOf(symbols));
    const server = createServer((_request, response) => response.end(record));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp(() => server.close());
    const config = join(scratch, 'tickhaul.json');
    const job = { name: 'all', exchange: 'made-up', types: 'trades', symbols: 'all', from: FROM };
    await writeFile(config, JSON.stringify({ dir, jobs: [job] }));
    const env = {
      TICKHAUL_API_URL: `http://127.0.0.1:${server.address().port}`,
      TICKHAUL_DATASETS_URL: `http://127.0.0.1:${server.address().port}`,
      TICKHAUL_API_KEY: 'none',
      XDG_CACHE_HOME: join(scratch, 'cache'),
    };
    const selection = ['made-up', '-t', 'trades', '-s', 'all', '--from', FROM, '-o', dir];
    const peers = [
      ['sync', '--quiet', '--config', config],
      ['plan', '--quiet', ...selection],
      ['download', '--quiet', ...selection],
    ].map((args) => ({ name: args[0], command: () => [[process.execPath, TICKHAUL, ...args], env] }));
    const runs = await compare(peers, { rounds, scratch, onRun, check: () => ({}) });
    process.stdout.write(
      `${availableParallelism()} processors, Node ${process.version}, median of ${rounds} rounds\n\n` +
        `${files} day files, nothing to do\n\n${formatRuns(runs)}\n\n`,
    );
  }
});

/** Files of the flat layout, and the manifest that their download would have written. */
async function fill(dir, symbols) {
  await mkdir(join(dir, '.tickhaul'), { recursive: true });
  const manifest = await open(join(dir, '.tickhaul', 'manifest.jsonl'), 'w');
  for (const symbol of symbols) {
    const records = Array.from({ length: DAYS }, (_, index) =>
      recordLine(symbol, END_MS - (index + 1) * DAY_MS),
    );
    // Nothing reads them, and a million files with content would take 4 GB.
    for (const { path } of records) await writeFile(join(dir, path), '');
    await manifest.appendFile(records.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  await manifest.close();
}

function recordLine(symbol, ms) {
  const date = dayText(ms);
  return {
    exchange: 'made-up',
    dataType: 'trades',
    symbol,
    date,
    path: `made-up_trades_${date}_${symbol}.csv.gz`,
    bytes: 0,
    md5: '7029066c27ac6f5ef18d660d5741979a',
    sha256: 'f61f27bd17de546264aa58f40f3aafaac7021e0ef69c17f6b1b4cd7664a037ec',
    md5Match: true,
    rows: 1,
    checked: 'f61f27bd',
    time: '2024-03-10T06:10:00.000Z',
    version: '0.1.0',
  };
}

function recordOf(symbols) {
  const times = { availableSince: `${FROM}T00:00:00.000Z`, availableTo: `${dayText(END_MS)}T00:00:00.000Z` };
  return {
    id: 'made-up',
    name: 'made up',
    datasets: {
      formats: ['csv'],
      exportedFrom: times.availableSince,
      exportedUntil: times.availableTo,
      symbols: symbols.map((id) => ({ id, type: 'perpetual', ...times, dataTypes: ['trades'] })),
    },
  };
}

function dayText(ms) {
  return new Date(ms).toISOString().slice(0, 10);
}
