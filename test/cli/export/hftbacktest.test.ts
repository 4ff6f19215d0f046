import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { writeDayFile } from '../../convert/day-files.js';
import { bookCsv, MIDNIGHT, tradesCsv, writeDay } from '../../export/hftbacktest/exporting.js';
import { readRows } from '../../export/hftbacktest/read-npz.js';
import { envOf, type Finished, jsonLines, start, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { writeHugeFile, writeLargeFile } from '../convert/converting.js';
import { arraysIn } from './exporting.js';

const NPZ = 'deribit_2024-03-01_BTC-PERPETUAL.npz';

test('exports downloaded days, skips what is up to date, and verifies it', async (t) => {
  const service = await sandbox(t, { rows: 2000 });
  const dir = await tempDir(t);
  const env = envOf(service, dir);
  const out = join(dir, 'npz');
  const download = async (types: string, symbols: string): Promise<void> => {
    const args = ['download', 'deribit', '-t', types, '-s', symbols, '--date', '2024-03-01', '-q'];
    const { exitCode, stderr } = await runHere(args, { env });
    assert.equal(exitCode, 0, stderr);
  };
  await download('trades,incremental_book_L2', 'BTC-PERPETUAL');
  await download('trades', 'ETH-PERPETUAL');
  const run = async (...flags: string[]): Promise<Finished> => {
    const args = ['export', 'hftbacktest', dir, '-o', out, '--json', ...flags];
    const finished = await runHere(args, { env });
    assert.equal(finished.exitCode, 0, finished.stderr);
    return finished;
  };
  const statuses = (finished: Finished): readonly unknown[] =>
    jsonLines(finished).flatMap(({ event, status }) => (event === 'file' ? [status] : []));
  const first = await run();
  assert.deepEqual(statuses(first).toSorted(), ['converted', 'skipped']);
  assert.match(first.stderr, /ETH-PERPETUAL.*needs the incremental_book_L2 of the same day/);
  assert.deepEqual(await arraysIn(out), [NPZ]);
  const rows = readRows(await readFile(join(out, NPZ)));
  assert.equal(rows.filter(({ ev }) => (ev & 0x8000_000fn) === 0x8000_0002n).length, 2000);
  assert.deepEqual(statuses(await run()), ['skipped', 'skipped']);
  assert.deepEqual(statuses(await run('--snapshots', 'ignore')).toSorted(), ['converted', 'skipped']);
  const updates = readRows(await readFile(join(out, NPZ)));
  assert.ok(updates.every(({ ev }) => (ev & 15n) <= 2n));
  const { exitCode, stderr } = await runHere(['verify', out], { env });
  assert.equal(exitCode, 0, stderr);
});

test('refuses flags of other targets, and values that it cannot read', async (t) => {
  const dir = await tempDir(t);
  for (const [flags, message] of [
    [['--base-latency', 'soon'], /--base-latency: "soon" is not a duration/],
    [['--snapshots', 'some'], /snapshots/],
    [['--timeframe', '1m'], /--timeframe has no effect on hftbacktest; omit it/],
  ] as const) {
    const { exitCode, stderr } = await runHere(['export', 'hftbacktest', dir, '-o', dir, ...flags]);
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, message);
  }
});

test('a corrupt book ends with code 6 and leaves no output', async (t) => {
  const dir = await tempDir(t);
  const head = 'exchange,symbol,timestamp,local_timestamp';
  await writeDayFile(dir, 'trades', `${head},id,side,price,amount\n`);
  await writeDayFile(
    dir,
    'incremental_book_L2',
    `${head},is_snapshot,side,price,amount\nderibit,B,1,2,true,buy,1,1\n`,
  );
  const out = join(dir, 'npz');
  const { exitCode, stderr } = await runHere(['export', 'hftbacktest', dir, '-o', out]);
  assert.equal(exitCode, 6);
  assert.match(stderr, /line 2, column side: "buy" is neither bid nor ask/);
  assert.deepEqual(await arraysIn(out).catch(() => []), []);
});

test('a run after SIGKILL completes, and SIGINT leaves no output', async (t) => {
  const dir = await tempDir(t);
  const out = join(dir, 'npz');
  await writeHugeFile(dir, 'A');
  await writeDayFile(dir, 'trades', 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n', 'A');
  const args = ['export', 'hftbacktest', dir, '-o', out, '--json'];
  for (const [signal, code] of [
    ['SIGKILL', null],
    ['SIGINT', 130],
  ] as const) {
    const { child, printed, finished } = start(args);
    await printed('"event":"plan"');
    child.kill(signal);
    assert.equal((await finished).exitCode, code);
    assert.deepEqual(await arraysIn(out).catch(() => []), []);
  }
  await writeLargeFile(dir, 'A', 1);
  const { exitCode, stderr } = await tickhaul(args);
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(await arraysIn(out), ['deribit_2024-03-01_A.npz']);
  readRows(await readFile(join(out, 'deribit_2024-03-01_A.npz')));
});

test('of a symbol and a grouped symbol with the same output the first is exported', async (t) => {
  const dir = await tempDir(t);
  const writeRows = async (name: string, count: number): Promise<void> => {
    const times = Array.from({ length: count }, (_, i) => MIDNIGHT + i);
    const rows = times.map((time) => {
      const cells = { symbol: 'BTC-PERPETUAL', timestamp: time, local: time, price: '1', amount: '1' };
      return { ...cells, isSnapshot: false };
    });
    const trades = tradesCsv(rows.map((row) => ({ ...row, side: 'buy' })));
    await writeDay(dir, trades, bookCsv(rows.map((row) => ({ ...row, side: 'bid' }))), name);
  };
  await writeRows('BTC-PERPETUAL', 150_000);
  await writeRows('PERPETUALS', 2);
  const out = join(dir, 'npz');
  const finished = await tickhaul(['export', 'hftbacktest', dir, '-o', out, '-j', '2', '--json']);
  assert.equal(finished.exitCode, 2, finished.stderr);
  const files = jsonLines(finished).filter(({ event }) => event === 'file');
  assert.deepEqual(files.map(({ status, path }) => `${status} ${basename(String(path))}`).sort(), [
    `converted ${NPZ}`,
    'failed deribit_incremental_book_L2_2024-03-01_PERPETUALS.csv.gz',
  ]);
  assert.match(JSON.stringify(files), /both .*_BTC-PERPETUAL.csv.gz and .*_PERPETUALS.csv.gz give this data/);
  assert.deepEqual(await arraysIn(out), [NPZ]);
});
