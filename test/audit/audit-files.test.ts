import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TickhaulError } from '../../src/base/errors.js';
import { parseDay } from '../../src/dataset/day.js';
import { shardIndex } from '../../src/dataset/shard.js';
import { runHere } from '../helpers/in-process.js';
import { tempDir } from '../helpers/temp.js';
import {
  auditHere,
  conditionsOf,
  createDayCsv,
  createRecord,
  startRecordHost,
  withDuplicate,
  writeDay,
} from './auditing.js';

test('judges each day of a folder, and audits the other files beside a corrupt one', async (t) => {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord());
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
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord());
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
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord());
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
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord());
  await writeDay(join(dir, 'data'), 1);
  await writeFile(join(dir, 'data/.tickhaul'), 'not a folder');
  const env = { ...host.env(dir), TICKHAUL_DIR: join(dir, 'data') };
  const { exitCode, days, stderr } = await auditHere([], env);
  assert.deepEqual(conditionsOf(days), ['03-01 available']);
  assert.match(stderr, /warning the results are not recorded, so the next audit reads the files again: /);
  assert.equal(exitCode, 0);
});

test('tells missing and pending days of folders by the exchange record', async (t) => {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  const env = host.env(dir);
  const single = await writeDay(dir, 5);
  await writeDay(dir, 7);
  const conditions = async (...args: string[]): Promise<readonly string[]> =>
    conditionsOf((await auditHere(args, host.env(dir))).days);
  host.records.set('deribit', createRecord());
  assert.deepEqual(await conditions(), ['03-05 available', '03-06 missing', '03-07 available']);
  const whole = ['--from', '2024-03-03', '--to', '2024-03-12'];
  assert.deepEqual(await conditions(...whole), [
    '03-03 missing',
    '03-04 missing',
    '03-05 available',
    '03-06 missing',
    '03-07 available',
    '03-08 missing',
    '03-09 missing',
    '03-10 pending',
    '03-11 pending',
  ]);
  assert.deepEqual(await conditions(...whole, single), ['03-05 available'], 'not of a file');
  assert.deepEqual(await conditions(...whole, `${dir}/*.csv.gz`), ['03-05 available', '03-07 available']);
  assert.deepEqual(await conditions('--from', '2024-03-06'), ['03-06 missing', '03-07 available']);
  const period = { availableSince: '2024-03-04T10:00:00.000Z', availableTo: '2024-03-08T10:00:00.000Z' };
  host.records.set('deribit', createRecord(period));
  assert.deepEqual(await conditions(...whole), [
    '03-04 missing',
    '03-05 available',
    '03-06 missing',
    '03-07 available',
    '03-08 missing',
  ]);
  host.records.set('deribit', createRecord({ availableTo: '2024-03-08T00:00:00.000Z' }));
  assert.equal((await conditions(...whole)).at(-1), '03-07 available');
  host.records.set('deribit', createRecord({ availableTo: '2024-03-10T00:00:00.000Z' }));
  assert.equal((await conditions(...whole)).at(-1), '03-11 pending', 'not delisted');
  await writeFile(join(dir, 'deribit_trades_2024-03-06_BTC.parquet'), '');
  assert.deepEqual(await conditions(), ['03-05 available', '03-07 available'], 'there as a conversion');
  const offline = await auditHere(['--offline', ...whole], env);
  assert.deepEqual(conditionsOf(offline.days), ['03-05 available', '03-07 available']);
  assert.equal(offline.exitCode, 0, offline.stderr);
});

test('uses a stored exchange record if offline, and warns about an unknown exchange', async (t) => {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  await writeDay(dir, 5);
  const env = host.env(dir);
  const whole = ['--from', '2024-03-05', '--to', '2024-03-07'];
  const unknown = await auditHere(whole, env);
  assert.deepEqual(conditionsOf(unknown.days), ['03-05 available']);
  assert.match(unknown.stderr, /warning unknown exchange "deribit".*; auditing its files without/);
  assert.equal(unknown.exitCode, 0);
  host.records.set('deribit', createRecord());
  await auditHere(whole, env);
  host.records.clear();
  const offline = await auditHere([...whole, '--offline'], env);
  assert.deepEqual(conditionsOf(offline.days), ['03-05 available', '03-06 missing']);
});

test('degrades days by incidents of the record that overlap them, without reading', async (t) => {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  for (const day of [1, 2, 3]) await writeDay(dir, day);
  const incident = (from: string, to?: string | null) => ({
    from: `2024-03-${from}Z`,
    ...(to !== undefined && { to: to && `2024-03-${to}Z` }),
    status: 'resolved',
    details: 'x',
  });
  const degradedBy = async (reports: readonly unknown[]): Promise<readonly string[]> => {
    host.records.set('deribit', createRecord({}, reports));
    const { days } = await auditHere([], host.env(dir));
    for (const { reasons, incidents, condition } of days) {
      assert.deepEqual(reasons, condition === 'degraded' ? ['incident'] : []);
      assert.deepEqual(incidents, condition === 'degraded' ? reports : []);
    }
    return days.filter(({ condition }) => condition === 'degraded').map(({ date }) => date.slice(8));
  };
  assert.deepEqual(await degradedBy([]), []);
  assert.deepEqual(await degradedBy([incident('01T10:00:00', '02T00:00:00')]), ['01'], 'the end is excluded');
  assert.deepEqual(await degradedBy([incident('01T10:00:00', '02T00:00:01')]), ['01', '02']);
  assert.deepEqual(await degradedBy([incident('02T10:00:00')]), ['02', '03'], 'without an end');
  assert.deepEqual(await degradedBy([incident('02T10:00:00', null)]), ['02', '03']);
  assert.deepEqual(await degradedBy([incident('02T00:00:00', '02T00:00:00')]), ['02'], 'one moment');
  const { days, summary } = await auditHere(['--degrade', 'gap'], host.env(dir));
  assert.deepEqual(
    days.map(({ incidents }) => incidents.length),
    [0, 1, 0],
  );
  assert.deepEqual([summary['available'], summary['bytes']], [3, 0]);
});

test('counts prices and gaps by the exchange record of the moment', async (t) => {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  const csv = createDayCsv(1, { rows: 300, seed: 8 }).replace(/,100(?:\.0)?,/, ',-5,');
  await writeDay(dir, 1, csv);
  const checksBy = async (symbol: Record<string, unknown>) => {
    host.records.set('deribit', createRecord(symbol));
    return (await auditHere(['--gap', '10m'], host.env(dir))).days[0]?.checks ?? {};
  };
  const plain = await checksBy({});
  assert.equal(plain['bad_number']?.count, 1);
  assert.equal((await checksBy({ type: 'combo' }))['bad_number']?.count, 0);
  const first = Number(plain['gap']?.longest?.start);
  assert.ok(first > 0, 'there is a gap');
  const before = await checksBy({ availableTo: new Date(first / 1000).toISOString() });
  assert.notDeepEqual(before['gap'], plain['gap']);
});

test('fails with code 10 for a named condition or check, but with 6 for a corrupt file', async (t) => {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord());
  const env = host.env(dir);
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
    [['--from', '2024-03-02', '--to', '2024-03-02'], /--to is exclusive/],
  ] as const) {
    const { exitCode, stderr } = await auditHere([...args], env);
    assert.equal(exitCode, 2);
    assert.match(stderr, message);
  }
});

test('selects files by names, days and shard', async (t) => {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord());
  const env = host.env(dir);
  for (const day of [1, 2, 3]) await writeDay(dir, day);
  await writeDay(dir, 2, createDayCsv(2, { dataType: 'quotes' }), 'quotes');
  const days = async (...args: string[]): Promise<readonly string[]> =>
    (await auditHere(args, env)).days.map(({ dataType, date }) => `${dataType} ${date.slice(8)}`);
  assert.deepEqual(await days('-t', 'quotes'), ['quotes 02']);
  assert.deepEqual(await days('--exchange', 'deribit', '-s', 'B*', '--from', '2024-03-02', '-t', 'trades'), [
    'trades 02',
    'trades 03',
  ]);
  const unknown = await auditHere(['-s', 'BTD'], env);
  assert.equal(unknown.exitCode, 2);
  assert.match(unknown.stderr, /no day file of symbol "BTD"; did you mean BTC\?/);
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
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord());
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
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord());
  const env = host.env(dir);
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

test('convert leaves out days that the last audit judged degraded, with a warning', async (t) => {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord());
  const env = host.env(dir);
  await writeDay(dir, 1);
  const degraded = await writeDay(dir, 2, withDuplicate(createDayCsv(2)));
  await writeDay(dir, 3);
  const convert = async (out: string, ...args: string[]) => {
    const { stdout, stderr, exitCode } = await runHere(
      ['convert', dir, '--json', '-o', join(dir, out), '--skip-degraded', ...args],
      { env },
    );
    assert.equal(exitCode, 0, stderr);
    const summary = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Record<string, number>;
    return { converted: summary['converted'], stderr };
  };
  assert.equal((await convert('a')).converted, 3, 'nothing was audited');
  await auditHere([], env);
  const { converted, stderr } = await convert('b');
  assert.equal(converted, 2);
  assert.equal(stderr, `warning skipping ${degraded}: degraded (duplicate_row, duplicate_id)\n`);
  await auditHere(['--degrade', 'gap'], env);
  assert.equal((await convert('c')).converted, 3, 'the last audit judged by other checks');
  await auditHere([], env);
  assert.equal((await convert('d')).converted, 2);
  const rows = await runHere(['convert', dir, '-o', '-', '--skip-degraded'], { env });
  assert.equal(rows.stdout.trimEnd().split('\n').length, 100);
  await writeDay(dir, 2, createDayCsv(2, { rows: 70 }));
  assert.equal((await convert('e')).converted, 3, 'the file changed since its audit');
});

test('coverage shows the days that the last audit judged degraded', async (t) => {
  const [dir, host] = [await tempDir(t), await startRecordHost(t)];
  host.records.set('deribit', createRecord());
  const env = host.env(dir);
  for (const day of [1, 2, 3, 4]) await writeDay(dir, day, withDuplicate(createDayCsv(day)));
  await writeDay(dir, 3);
  await runHere(['verify', '--adopt'], { env });
  const json = async () => {
    const { stdout } = await runHere(['coverage', '--json'], { env });
    return JSON.parse(stdout) as { totals: Record<string, number>; series: Record<string, unknown>[] };
  };
  const before = await json();
  assert.equal(before.totals['audited'], undefined);
  assert.equal(before.series[0]?.['degradedDays'], undefined);
  await auditHere([], env);
  const { totals, series } = await json();
  assert.deepEqual([totals['audited'], totals['degraded'], totals['present']], [4, 3, 4]);
  assert.deepEqual(series[0]?.['degradedDays'], [
    { from: '2024-03-01', to: '2024-03-03' },
    { from: '2024-03-04', to: '2024-03-05' },
  ]);
  const { stdout } = await runHere(['coverage'], { env });
  assert.match(stdout, /^■ present {3}○ empty \(no rows\) {3}× missing {3}▲ degraded$/m);
  assert.match(stdout, /^ Mar ▲▲■▲$/m);
  assert.match(stdout, /^4 days audited, 3 of them degraded$/m);
});

test('ends with code 5 if the service cannot be reached, and calls no file corrupt for that', async (t) => {
  const dir = await tempDir(t);
  const env = {
    TICKHAUL_API_URL: 'http://127.0.0.1:9',
    TICKHAUL_DIR: dir,
    XDG_CACHE_HOME: join(dir, '.cache'),
  };
  const named = await writeDay(dir, 1);
  const unnamed = join(dir, 'sample.csv.gz');
  await copyFile(named, unnamed);
  for (const path of [named, unnamed]) {
    const { exitCode, days, stderr } = await auditHere([path], env);
    assert.deepEqual([exitCode, days], [5, []]);
    assert.match(stderr, /127\.0\.0\.1:9 cannot be reached/);
  }
  const { exitCode, days } = await auditHere([unnamed, '--offline'], env);
  assert.deepEqual([exitCode, conditionsOf(days)], [0, ['03-01 available']]);
});
