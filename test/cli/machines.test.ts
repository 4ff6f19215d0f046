import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { formatDay } from '../../src/day-files/day.js';
import { csvOf, DAY } from '../convert/day-files.js';
import { envOf, failedWith, jsonLines, succeeded, tickhaul } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';

/** Node without the address space for a memory of WebAssembly, of which V8 reserves more than 8 GiB. */
const LIMITED = ['/bin/sh', '-c', 'ulimit -v 6000000 && exec "$@"', 'sh', process.execPath];

test('a Node without WebAssembly, or without room for it, verifies files, and says what it lacks for conversions', async (t) => {
  const dir = await tempDir(t);
  // Larger than what is gunzipped at once, and enough files that the check threads inflate them.
  const csv = gzipSync(csvOf('trades', 90_000), { level: 1 });
  assert.ok(csv.length > 1_000_000);
  const files = availableParallelism() + 1;
  for (let i = 1; i <= files; i++) {
    await mkdir(join(dir, String(i)));
    await writeFile(join(dir, String(i), `deribit_trades_${formatDay(DAY)}_BTC-PERPETUAL.csv.gz`), csv);
  }
  const command = [process.execPath, '--jitless'];
  await succeeded(runHere(['verify', dir, '--adopt']));
  const commands = process.platform === 'linux' ? [command, LIMITED] : [command];
  for (const command of commands) {
    const verified = await succeeded(tickhaul(['verify', dir, '--json'], { command }));
    assert.equal(jsonLines(verified).at(-1)?.['verified'], files);
  }
  await failedWith(
    tickhaul(['convert', join(dir, '1'), '--out', join(dir, 'out')], { command }),
    2,
    /cannot run WebAssembly with SIMD, which conversions and replays need/,
  );
});

test('under a limit of the address space, an error names the limit, and what it advises helps', {
  skip: process.platform !== 'linux' && 'other systems have no such limit',
}, async (t) => {
  const dir = await tempDir(t);
  await writeFile(join(dir, 'deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz'), gzipSync(csvOf('trades', 50)));
  const commands: readonly (readonly string[])[] = [
    ['convert', dir, '-o', join(dir, 'out')],
    ['convert', dir, '-o', join(dir, 'out'), '--as', 'trade_bar_1m'],
    ['audit', '--offline', dir],
    ['export', 'freqtrade', dir, '-o', join(dir, 'ft'), '--pair', 'BTC/USD:BTC', '--offline'],
  ];
  for (const words of commands) {
    await failedWith(
      tickhaul(words, { command: LIMITED }),
      8,
      /the address space is limited \(ulimit -v\); raise that limit, or set NODE_OPTIONS=--dis/,
    );
    const NODE_OPTIONS = '--disable-wasm-trap-handler';
    await succeeded(tickhaul(words, { command: LIMITED, env: { NODE_OPTIONS } }));
  }
});

test('a download that has no address space left for a thread names the limit', {
  skip: process.platform !== 'linux' && 'other systems have no such limit',
}, async (t) => {
  const service = await sandbox(t);
  const env = envOf(service, join(await tempDir(t), 'data'));
  const words = ['download', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', '--date', '2024-03-01'];
  const command = ['/bin/sh', '-c', 'ulimit -v 12000000 && exec "$@"', 'sh', process.execPath];
  const { exitCode, stderr } = await tickhaul([...words, '--convert', 'parquet'], { command, env });
  assert.equal(exitCode, 8, stderr);
  assert.match(stderr, /the address space is limited \(ulimit -v\)/);
});

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
  await succeeded(
    tickhaul(['convert', file], {
      env: { ...env, NODE_OPTIONS: `--require ${machine}` },
    }),
  );
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
