import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { tickhaul } from '../helpers/cli.js';
import { tempDir } from '../helpers/temp.js';

const skip = process.platform === 'linux' ? false : 'needs /proc';

/** Number of threads at the end of a command on a machine with this number of processors. */
async function countThreads(
  t: TestContext,
  processors: number,
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const dir = await tempDir(t);
  const machine = join(dir, 'machine.cjs');
  const counted = join(dir, 'threads');
  await writeFile(
    machine,
    `require('node:os').availableParallelism = () => ${processors};
     const { readdirSync, writeFileSync } = require('node:fs');
     process.on('exit', () => writeFileSync('${counted}', String(readdirSync('/proc/self/task').length)));`,
  );
  const file = join(dir, 'deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz');
  await writeFile(file, gzipSync('exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n'));
  const { exitCode, stderr } = await tickhaul(['convert', file], {
    env: { ...env, NODE_OPTIONS: `--require ${machine}` },
  });
  assert.equal(exitCode, 0, stderr);
  return Number(await readFile(counted, 'utf8'));
}

test('Node has a thread for files and zlib for each processor, 4 to 64', { skip }, async (t) => {
  const usual = await countThreads(t, 2);
  assert.equal((await countThreads(t, 12)) - usual, 8);
  assert.equal((await countThreads(t, 100)) - usual, 60);
});

test('UV_THREADPOOL_SIZE of the user takes precedence', { skip }, async (t) => {
  const usual = await countThreads(t, 2);
  assert.equal((await countThreads(t, 12, { UV_THREADPOOL_SIZE: '6' })) - usual, 2);
});
