import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertOptions } from '../../src/format/options.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { askedFor, job, syncNow } from './helpers.js';

test('two jobs that name the same file and contradict each other are refused before any day file is asked for', async (t) => {
  const service = await sandbox(t);
  const dir = await tempDir(t);
  const made = (format: 'parquet' | 'ndjson', keepCsv: boolean, compression?: 'snappy') => ({
    convert: { options: convertOptions(format, { compression }), keepCsv, threads: 1 },
  });
  const all = { symbols: ['BTC*'], last: 3 };
  const first = job('a', { last: 2 }, made('parquet', false));
  for (const [second, why] of [
    [job('b', all), 'noKeepCsv'],
    [job('b', all, made('parquet', true)), 'noKeepCsv'],
    [job('b', all, made('ndjson', false)), 'noKeepCsv'],
    [job('b', all, made('parquet', false, 'snappy')), 'noKeepCsv'],
  ] as const) {
    const message = new RegExp(
      `^tickhaul.yaml:b: job "b" names the same files as job "a", such as trades BTCUSDT, but ${why}`,
    );
    await assert.rejects(syncNow(t, service, dir, [first, second]), { code: 'usage', message });
  }
  const kept = [
    job('a', { last: 2 }, made('parquet', true)),
    job('b', { last: 2 }, made('parquet', true, 'snappy')),
  ];
  await assert.rejects(syncNow(t, service, dir, kept), { code: 'usage', message: /converts them otherwise/ });
  assert.deepEqual(askedFor(service), []);
  for (const other of [
    job('b', { last: 2, layout: 'hive' }),
    job('b', { symbols: ['ETHUSDT'], last: 2 }),
    job('b', { date: '2024-03-01' }),
    job('b', all, made('parquet', false)),
  ]) {
    assert.equal((await syncNow(t, service, dir, [first, other])).summary.exitCode, 0);
  }
});
