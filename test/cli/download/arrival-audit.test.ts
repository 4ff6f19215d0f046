import assert from 'node:assert/strict';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js';
import { envOf, jsonLines, start, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { bucketFor } from '../../helpers/s3/bucket.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { storeTest } from '../../helpers/services.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { DAYS } from './downloading.js';

type Test = Parameters<typeof tempDir>[0];

const SELECTION = ['binance-futures', '-s', 'BTCUSDT', '--date', '2024-03-01'];
const TRADES = ['download', ...SELECTION, '-t', 'trades', '--audit'];
const BOTH = ['download', ...SELECTION, '-t', 'trades,quotes', '--audit'];
const NAME = 'binance-futures_trades_2024-03-01_BTCUSDT.csv.gz';
const HEADER = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n';
const ROW = 'binance-futures,BTCUSDT,1709251200000000,1709251200000100,7,buy,61000.5,0.25\n';
const BAD_ROW = 'binance-futures,BTCUSDT,1709251200000000,1709251200000100,8,buy,cheap,0.25\n';

/** Runs the command in this process, or the built one, and returns its days. */
async function startPlace(
  t: Test,
  options: SandboxOptions = {},
  more: Record<string, string> = {},
  execute = runHere,
) {
  const [service, dir] = await Promise.all([
    sandbox(t, { rows: 2000, retryAfterSeconds: 0, ...options }),
    tempDir(t),
  ]);
  const env = { ...envOf(service, dir), XDG_CACHE_HOME: join(dir, '.cache'), ...more };
  const run = async (...words: readonly string[]) => {
    const finished = await execute([...words, '--json'], { env });
    const lines = jsonLines(finished);
    const days = lines.filter(({ event }) => event === 'day');
    return {
      ...finished,
      lines,
      days: days.map(({ dataType, condition, checks }) => ({ dataType, condition, checks })),
      conditions: days.map(({ dataType, condition }) => `${dataType} ${condition}`),
      summary: lines.at(-1) ?? assert.fail(finished.stderr),
    };
  };
  /** Compares with an audit that reads all files; before, an audit must have nothing to read. */
  const assertRecorded = async (days: readonly object[]): Promise<void> => {
    const known = await run('audit');
    assert.equal(known.summary['bytes'], 0, 'nothing is read again');
    assert.deepEqual(known.days, days);
    const read = await run('audit', '--recheck');
    assert.ok(Number(read.summary['bytes']) > 0);
    assert.deepEqual(read.days, days);
  };
  return { service, dir, run, assertRecorded };
}

test('download --audit judges each day, and a later audit reads nothing', async (t) => {
  const { run, assertRecorded } = await startPlace(t, { faults: { gap: 1 } }, {}, tickhaul);
  const { conditions, days, summary } = await succeeded(run(...BOTH));
  assert.deepEqual(conditions, ['quotes degraded', 'trades degraded']);
  assert.deepEqual([summary['downloaded'], summary['degraded']], [2, 2]);
  await assertRecorded(days);
  const skipped = await run(...BOTH);
  assert.deepEqual([skipped.exitCode, skipped.days], [0, []], 'skipped files are not audited');
});

test('duplicates are found in a file that was resumed after a broken transfer', async (t) => {
  const faults = { reset: 0.5, 'duplicate-trades': 0.5 } as const;
  const { service, run, assertRecorded } = await startPlace(t, {
    faults,
    faultsPerFile: 2,
    redirect: true,
    seed: 3,
    rows: 5000,
  });
  const { days } = await succeeded(
    run(
      'download',
      ...SELECTION.slice(0, 3),
      '--from',
      '2024-03-01',
      '--to',
      '2024-03-09',
      '-t',
      'trades',
      '--audit',
    ),
  );
  assert.ok(
    service.requests.some(({ status }) => status === 206),
    'a file was resumed',
  );
  const conditions = new Set(days.map(({ condition }) => condition));
  assert.deepEqual([...conditions].sort(), ['available', 'degraded']);
  await assertRecorded(days);
});

test('a converted file is audited too, also if its CSV is not kept', async (t) => {
  const { dir, run, assertRecorded } = await startPlace(t, { faults: { 'duplicate-trades': 1 } });
  const kept = await run(...TRADES, '--convert', 'parquet');
  assert.deepEqual([kept.exitCode, kept.conditions], [0, ['trades degraded']], kept.stderr);
  await assertRecorded(kept.days);
  const dropped = await run(...TRADES, '--convert', 'parquet', '--no-keep-csv', '--existing', 'overwrite');
  assert.deepEqual([dropped.exitCode, dropped.days], [0, kept.days], dropped.stderr);
  assert.ok(!(await namesIn(dir)).includes(NAME));
});

test('an existing file that is verified is audited unless it has results', async (t) => {
  const { dir, run } = await startPlace(t);
  await run(...TRADES.slice(0, -1));
  const verified = await run(...TRADES, '--existing', 'verify');
  assert.deepEqual([verified.exitCode, verified.conditions], [0, ['trades available']], verified.stderr);
  assert.deepEqual((await run(...TRADES, '--existing', 'verify')).days, []);
  await utimes(join(dir, NAME), 1, 1);
  assert.deepEqual((await run(...TRADES, '--existing', 'verify')).conditions, ['trades available']);
});

test('an interrupted download keeps the results of its complete files', async (t) => {
  // Some of the responses stall in the middle, so that the signal cannot come too late.
  const { dir, env } = await sandboxAndFolder(t, { rows: 2000, faults: { stall: 0.5 } });
  const { child, printed, finished } = start([...DAYS, '--audit', '--json'], { env });
  await printed('"event":"file"');
  child.kill('SIGINT');
  const { exitCode, stderr } = await finished;
  assert.equal(exitCode, 130, stderr);
  assert.notEqual(await readFile(join(dir, '.tickhaul/audit.jsonl'), 'utf8'), '');
});

test('a bad cell makes the day corrupt, and keeps the file', async (t) => {
  const replayDir = await tempDir(t);
  const bytes = gzipSync(HEADER + ROW + BAD_ROW);
  await writeFile(join(replayDir, NAME), bytes);
  const { dir, run } = await startPlace(t, { replayDir });
  const { exitCode, conditions, summary } = await run(...TRADES);
  assert.deepEqual([exitCode, conditions], [6, ['trades corrupt']]);
  assert.deepEqual([summary['downloaded'], summary['corrupt']], [1, 1]);
  assert.deepEqual(await readFile(join(dir, NAME)), bytes);
  const audited = await run('audit');
  assert.deepEqual([audited.exitCode, audited.conditions], [6, conditions]);
});

storeTest('a download to a store is audited, also of a file that is never written', async (t) => {
  const bucket = await bucketFor(t);
  const place = { ...bucket.envHere(), TICKHAUL_DIR: `s3://${bucket.name}/a` };
  const { run, assertRecorded } = await startPlace(t, { faults: { gap: 1 }, rows: 20_000 }, place);
  const { exitCode, conditions, days, stderr } = await run(...BOTH);
  assert.deepEqual([exitCode, conditions], [0, ['quotes degraded', 'trades degraded']], stderr);
  await assertRecorded(days);
  const overwrite = ['--convert', 'parquet', '--no-keep-csv', '--existing', 'overwrite'];
  const dropped = await run(...BOTH, ...overwrite);
  assert.deepEqual([dropped.exitCode, dropped.days], [0, days], dropped.stderr);
});
