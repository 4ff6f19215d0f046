import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TickhaulError } from '../../src/base/errors.js';
import { parseDay } from '../../src/day-files/day.js';
import { shardIndex } from '../../src/day-files/shard.js';
import { failedWith } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { tempDir } from '../helpers/temp.js';
import { auditFolder, auditHere, conditionsOf, createDayCsv, withDuplicate, writeDay } from './auditing.js';

test('judges each day of a folder, and audits the other files beside a corrupt one', async (t) => {
  const { dir, host } = await auditFolder(t);
  await writeDay(dir, 1);
  await writeDay(dir, 2, withDuplicate(createDayCsv(2)));
  await writeDay(dir, 4, gzipSync(createDayCsv(4)).subarray(0, 500));
  await writeDay(dir, 5, 'exchange,symbol,timestamp,local_timestamp,id,side,price\n');
  await writeDay(dir, 6, '');
  for (const jobs of ['1', '2', '3']) {
    const { exitCode, days, summary, stderr } = await auditHere(['--recheck', '-j', jobs], host.env(dir));
    assert.deepEqual(conditionsOf(days), [
      '03-01 available',
      '03-02 degraded',
      '03-03 missing',
      '03-04 corrupt',
      '03-05 corrupt',
      '03-06 available',
    ]);
    assert.deepEqual(days[1]?.reasons, ['duplicate_row', 'duplicate_id']);
    assert.deepEqual(days[1]?.checks?.['duplicate_id'], {
      count: 1,
      first: { row: 51, localTimestamp: days[1]?.lastLocalTimestamp, symbol: 'BTC' },
    });
    const missing = { exchange: 'deribit', dataType: 'trades', symbol: 'BTC', date: '2024-03-03' };
    const absent = { event: 'day', ...missing, path: null, condition: 'missing', reasons: [], incidents: [] };
    assert.deepEqual(days[2], absent);
    assert.equal(days[3]?.error?.code, 'corrupt');
    assert.equal(days[3]?.checks, undefined);
    assert.match(days[4]?.error?.message ?? '', /amount: missing in the header of trades/);
    assert.equal(days[5]?.rows, 0);
    assert.equal(days[5]?.firstLocalTimestamp, null);
    assert.equal(exitCode, 6, stderr);
    const { available, degraded, missing: missingDays, corrupt } = summary;
    assert.deepEqual([available, degraded, missingDays, corrupt], [2, 1, 1, 2]);
  }
});

test('reads only files that are new or changed, or for other thresholds', async (t) => {
  const { dir, host } = await auditFolder(t);
  const paths = [await writeDay(dir, 1), await writeDay(dir, 2), await writeDay(dir, 3)];
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const env = host.env(dir);
  const bytesOf = async (...args: string[]): Promise<unknown> =>
    (await auditHere(args, env)).summary['bytes'];
  const first = await auditHere([], env);
  assert.equal(first.summary['bytes'], total);
  const second = await auditHere([], env);
  assert.equal(second.summary['bytes'], 0);
  assert.deepEqual(second.days, first.days);
  assert.equal(await bytesOf('--degrade', 'exchange_order', '--fail-on', 'gap'), 0);
  assert.equal(await bytesOf('--gap', '1s'), total);
  assert.equal(await bytesOf('--gap', '1s'), 0);
  assert.equal(await bytesOf('--jump', '0.2'), total);
  assert.equal(await bytesOf(), 0, 'each pair of thresholds has its own results');
  await utimes(paths[0] as string, new Date(), new Date(1_000_000));
  assert.equal(await bytesOf(), sizes[0]);
  await writeDay(dir, 2, createDayCsv(2, { rows: 60 }));
  assert.equal(await bytesOf(), (await stat(paths[1] as string)).size);
  assert.equal(await bytesOf(), 0);
  assert.ok(Number(await bytesOf('--recheck')) > 0);
  await writeFile(join(dir, '.tickhaul/audit.jsonl'), '{"damaged\n{}\n');
  assert.ok(Number(await bytesOf()) > 0);
  assert.equal(await bytesOf(), 0);
});

test('records results in the nearest download folder, and none for files outside of one', async (t) => {
  const { dir, host } = await auditFolder(t);
  const env = host.env(join(dir, 'configured'));
  const outside = await writeDay(join(dir, 'outside'), 1);
  await auditHere([outside], env);
  assert.equal((await auditHere([outside], env)).summary['bytes'], (await stat(outside)).size);
  const folder = join(dir, 'folder');
  const inside = await writeDay(join(folder, 'a/b'), 1);
  await mkdir(join(folder, '.tickhaul'));
  await writeFile(join(folder, '.tickhaul/manifest.jsonl'), '');
  await auditHere([inside], env);
  assert.equal((await auditHere([inside], env)).summary['bytes'], 0);
  const [line = ''] = (await readFile(join(folder, '.tickhaul/audit.jsonl'), 'utf8')).split('\n');
  const record = JSON.parse(line) as Record<string, unknown>;
  assert.equal(record['path'], `a/b/${basename(inside)}`);
  assert.equal(record['bytes'], (await stat(inside)).size);
});

test('warns where results cannot be recorded, and prints them', async (t) => {
  const { dir, host } = await auditFolder(t);
  await writeDay(join(dir, 'data'), 1);
  await writeFile(join(dir, 'data/.tickhaul'), 'not a folder');
  const env = { ...host.env(dir), TICKHAUL_DIR: join(dir, 'data') };
  const { exitCode, days, stderr } = await auditHere([], env);
  assert.deepEqual(conditionsOf(days), ['03-01 available']);
  assert.match(stderr, /warning the results are not recorded, so the next audit reads the files again: /);
  assert.equal(exitCode, 0);
});

test('fails with code 10 for a named condition or check, but with 6 for a corrupt file', async (t) => {
  const { dir, env } = await auditFolder(t);
  await writeDay(dir, 1, withDuplicate(createDayCsv(1)));
  await writeDay(dir, 3);
  const codeOf = async (...args: string[]): Promise<number | null> => (await auditHere(args, env)).exitCode;
  assert.equal(await codeOf(), 0);
  assert.equal(await codeOf('--fail-on', 'degraded'), 10);
  assert.equal(await codeOf('--fail-on', 'gap,missing'), 10);
  assert.equal(
    await codeOf('--fail-on', 'duplicate_id', '--degrade', 'none'),
    10,
    'a check fails all the same',
  );
  assert.equal(await codeOf('--fail-on', 'degraded', '--degrade', 'gap'), 0);
  assert.equal(await codeOf('--fail-on', 'corrupt,pending,id_gap'), 0);
  const failed = await auditHere(['--fail-on', 'degraded'], env);
  assert.deepEqual(failed.summary['error'], {
    code: 'audit_failed',
    message: '1 day with a condition or a failed check among: degraded',
  });
  await writeDay(dir, 2, Buffer.from('x'));
  assert.equal(await codeOf('--fail-on', 'degraded,corrupt'), 6);
});

test('refuses unknown names with the nearest, before any request', async (t) => {
  const dir = await tempDir(t);
  const env = { TICKHAUL_DIR: dir, TICKHAUL_API_URL: 'http://127.0.0.1:9' };
  for (const [args, message] of [
    [['--fail-on', 'degrade'], /--fail-on: "degrade" is not a known name; did you mean degraded\?/],
    [['--fail-on', 'incident'], /--fail-on: "incident" is not a known name/],
    [['--degrade', 'gaps'], /--degrade: "gaps" is not a known name; did you mean gap/],
    [['--degrade', 'none,gap'], /--degrade: "none" and other names contradict each other/],
    [['--jump', '0'], /--jump: "0" is not a positive number/],
    [['--gap', 'x'], /--gap: "x" is not a duration/],
    [['--from', '2024-03-02', '--to', '2024-03-02'], /--to 2024-03-02 is exclusive/],
  ] as const) {
    await failedWith(auditHere([...args], env), 2, message);
  }
});

test('selects files by names, days and shard', async (t) => {
  const { dir, env } = await auditFolder(t);
  for (const day of [1, 2, 3]) await writeDay(dir, day);
  await writeDay(dir, 2, createDayCsv(2, { dataType: 'quotes' }), 'quotes');
  const days = async (...args: string[]): Promise<readonly string[]> =>
    (await auditHere(args, env)).days.map(({ dataType, date }) => `${dataType} ${date.slice(8)}`);
  assert.deepEqual(await days('-t', 'quotes'), ['quotes 02']);
  assert.deepEqual(await days('--exchange', 'deribit', '-s', 'B*', '--from', '2024-03-02', '-t', 'trades'), [
    'trades 02',
    'trades 03',
  ]);
  await failedWith(auditHere(['-s', 'BTD'], env), 2, /no day file of symbol "BTD"; did you mean BTC\?/);
  // The series has no day before 2024.
  const before = ['--date', '2023-12-31'];
  for (const words of [before, [...before, '--offline']]) {
    const none = await auditHere(words, env);
    assert.match(none.stderr, /--date: no day file .* there are days from 2024-03-01 to 2024-03-03/);
    assert.equal(none.exitCode, 7);
  }
  assert.equal((await auditHere([...before, '--shard', '0/2'], env)).exitCode, 0);
  const shards = await Promise.all(
    ['0/2', '1/2'].map((shard) => days('--shard', shard, '--to', '2024-03-06', '-t', 'trades')),
  );
  for (const [index, shard] of shards.entries()) {
    const expected = ['01', '02', '03', '04', '05'].filter(
      (day) =>
        shardIndex(
          { exchange: 'deribit', dataType: 'trades', symbol: 'BTC', day: parseDay(`2024-03-${day}`) },
          2,
        ) === index,
    );
    assert.deepEqual(
      shard,
      expected.map((day) => `trades ${day}`),
    );
  }
  assert.equal(shards.flat().length, 5);
});

test('identifies a file without a name by its header and first row', async (t) => {
  const { dir, host } = await auditFolder(t);
  const path = join(dir, 'sample.csv.gz');
  await copyFile(await writeDay(join(dir, 'named'), 1), path);
  await rm(join(dir, 'named'), { recursive: true });
  await writeFile(join(dir, 'empty.csv.gz'), gzipSync(''));
  const { days, exitCode } = await auditHere([], host.env(dir));
  assert.equal(exitCode, 0);
  assert.deepEqual(
    days.map(({ exchange, dataType, symbol, date, rows }) => [exchange, dataType, symbol, date, rows]),
    [
      ['', 'unknown', '', '', 0],
      ['deribit', 'trades', 'BTC', '2024-03-01', 50],
    ],
  );
  assert.deepEqual((await auditHere(['-t', 'trades'], host.env(dir))).days.length, 1);
  assert.deepEqual((await auditHere(['--from', '2024-03-02'], host.env(dir))).days.length, 0);
});

test('keeps the results of an interrupted run', async (t) => {
  const { dir, env } = await auditFolder(t);
  for (let day = 1; day <= 9; day++) await writeDay(dir, day);
  const stop = new AbortController();
  const stopAtFirstDay = (text: string): void => {
    if (text.includes('"event":"day"')) stop.abort(new TickhaulError('interrupted', 'interrupted by SIGINT'));
  };
  const stopped = await runHere(['audit', '--json', '-j', '1'], {
    env,
    signal: stop.signal,
    onStdout: stopAtFirstDay,
  });
  assert.equal(stopped.exitCode, 130);
  const summary = JSON.parse(stopped.stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, number>;
  const { available = 0, unfinished = 0 } = summary;
  assert.equal(available + unfinished, 9);
  assert.ok(available >= 1 && available < 9);
  const rest = await auditHere([], env);
  assert.equal(rest.days.length, 9);
  assert.ok(Number(rest.summary['bytes']) > 0);
  const total = await auditHere(['--recheck'], env);
  assert.ok(
    Number(rest.summary['bytes']) < Number(total.summary['bytes']),
    'finished files are not read again',
  );
  assert.deepEqual(total.days, rest.days);
});
