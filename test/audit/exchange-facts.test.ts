import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../helpers/temp.js';
import {
  auditHere,
  conditionsOf,
  createDayCsv,
  createRecord,
  startRecordHost,
  writeDay,
} from './auditing.js';

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
