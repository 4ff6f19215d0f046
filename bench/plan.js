// Plans over an exchange record of 270,000 symbols. See docs/benchmarks.md.
//   node bench/plan.js [--rounds <n>]
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './lib/compare.js';
import { makeRecord } from './lib/record.js';
import { withScratch } from './lib/scratch.js';
import { onRun } from './lib/sections.js';
import { TICKHAUL } from './lib/service.js';
import { formatRuns } from './lib/table.js';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Math.max(1, Number(values.rounds) || 5);

const PLANS = [
  { name: 'all symbols, first time', fresh: true, symbol: 'all' },
  { name: 'all symbols, record in the cache', fresh: false, symbol: 'all' },
  { name: 'one symbol, first time', fresh: true, symbol: 'BTC-2FEB21-1-C' },
  { name: 'one symbol, record in the cache', fresh: false, symbol: 'BTC-2FEB21-1-C' },
];

await withScratch(async (scratch, cleanUp) => {
  const record = Buffer.from(JSON.stringify(makeRecord(270_000)));
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', etag: '"1"' }).end(record);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => server.close());
  const cache = join(scratch, 'cache');
  const env = { TICKHAUL_API_URL: `http://127.0.0.1:${server.address().port}`, XDG_CACHE_HOME: cache };
  const peers = PLANS.map(({ name, fresh, symbol }) => ({
    name,
    command: async (folder) => {
      if (fresh) await rm(cache, { recursive: true, force: true });
      const selection = ['-t', 'trades', '-s', symbol, '--date', '2024-03-01', '-o', folder];
      return [[process.execPath, TICKHAUL, 'plan', 'deribit', ...selection], env];
    },
  }));
  const runs = await compare(peers, { rounds, scratch, onRun, check: () => ({}) });
  process.stdout.write(
    `${availableParallelism()} processors, Node ${process.version}, median of ${rounds} rounds\n\n` +
      `a record of ${(record.length / 1e6).toFixed(0)} MB\n\n${formatRuns(runs)}\n`,
  );
});
