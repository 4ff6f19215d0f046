import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOutputSelection } from '../../src/convert/output-selection.js';
import { createOutputOptions } from '../../src/format/output-formats.js';
import type { BarRules } from '../../src/market/message-type-name.js';
import { sandboxAndFolder } from '../helpers/sandbox.js';
import { job, requestedPaths, syncNow } from './helpers.js';

test('two jobs with the same file and contradicting settings are rejected before any day file is requested', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const made = (format: 'parquet' | 'ndjson', keepCsv: boolean, compression?: 'snappy') => ({
    convert: { options: createOutputOptions(format, { compression }), keepCsv, threads: 1 },
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
      `^tickhaul.yaml:b: job "b" selects the same files as job "a", such as trades BTCUSDT, but ${why}`,
    );
    await assert.rejects(syncNow(t, service, dir, [first, second]), { code: 'usage', message });
  }
  const kept = [
    job('a', { last: 2 }, made('parquet', true)),
    job('b', { last: 2 }, made('parquet', true, 'snappy')),
  ];
  await assert.rejects(syncNow(t, service, dir, kept), { code: 'usage', message: /converts them otherwise/ });
  assert.deepEqual(requestedPaths(service), []);
  for (const other of [
    job('b', { last: 2, layout: 'hive' }),
    job('b', { symbols: ['ETHUSDT'], last: 2 }),
    job('b', { date: ['2024-03-01'] }),
    job('b', all, made('parquet', false)),
  ]) {
    assert.equal((await syncNow(t, service, dir, [first, other])).summary.exitCode, 0);
  }
});

test('jobs may convert the same files to other outputs, but not the same output in two ways, nor delete what the other needs', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const made = (names: readonly string[], keepCsv = true, compression?: 'gzip', rules: BarRules = {}) => ({
    convert: {
      options: createOutputOptions('parquet', { compression }),
      outputSelection: parseOutputSelection(names, rules),
      keepCsv,
      threads: 1,
    },
  });
  const both = { types: ['trades', 'quotes'], last: 1 };
  const first = job('a', both, made(['trade_bar_1m']));
  for (const [other, why] of [
    [
      job('b', both, made(['trade_bar_5m', 'trade_bar_1m'], true, 'gzip')),
      'trades BTCUSDT, but converts them otherwise',
    ],
    [
      job('b', both, made(['rows', 'trade_bar_1m'], true, undefined, { fill: 'close' })),
      'trades BTCUSDT, but converts them otherwise',
    ],
    [job('b', both, made(['trade_bar_5m'], false)), 'trades BTCUSDT, but noKeepCsv'],
  ] as const) {
    const message = new RegExp(`such as ${why}`);
    await assert.rejects(syncNow(t, service, dir, [first, other]), { code: 'usage', message });
  }
  for (const [one, other] of [
    [first, job('b', both, made(['trade_bar_5m'], true, 'gzip'))],
    [first, job('b', both, made(['rows', 'trade_bar_5m'], true, undefined, { barTime: 'open' }))],
    [job('a', both, made(['trade_bar_1m'], false)), job('b', { ...both, types: ['quotes'] })],
  ] as const) {
    assert.equal((await syncNow(t, service, dir, [one, other])).summary.exitCode, 0);
  }
});
