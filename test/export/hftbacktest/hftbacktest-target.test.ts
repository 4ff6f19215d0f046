import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDay } from '../../../src/day-files/day.js';
import type { ExportContext, ExportSource } from '../../../src/export/export-target.js';
import { hftbacktest } from '../../../src/export/hftbacktest/hftbacktest-target.js';

/** Nothing is asked of the service. */
const CONTEXT: ExportContext = {
  fetchInstruments: () => assert.fail('needs no instruments'),
  findInstruments: () => assert.fail('needs no instruments'),
  lookUpInstruments: () => assert.fail('needs no instruments'),
  fetchSymbolTypes: () => assert.fail('needs no types'),
  signal: new AbortController().signal,
};

function source(
  dataType: string,
  symbol: string,
  day: string,
  path = `${dataType}-${symbol}-${day}`,
): ExportSource {
  return { path, file: { exchange: 'deribit', dataType, symbol, day: parseDay(day) } };
}

test('pairs trades and book of a symbol and day, and skips a file without the other', async () => {
  const sources = [
    source('incremental_book_L2', 'A', '2024-03-01'),
    source('trades', 'A', '2024-03-01'),
    source('trades', 'A', '2024-03-02'),
    source('incremental_book_L2', 'B', '2024-03-01'),
    source('trades', 'PERPETUALS', '2024-03-01'),
  ];
  const settings = hftbacktest.readSettings({});
  const { jobs, skipped } = await hftbacktest.plan(sources, settings, CONTEXT);
  assert.deepEqual(jobs, [
    {
      target: 'hftbacktest',
      key: 'deribit 2024-03-01 A',
      place: 'deribit 2024-03-01',
      sources: sources.slice(0, 2),
      settings,
    },
  ]);
  assert.deepEqual(skipped, [
    {
      source: sources[2],
      message:
        'skipping trades-A-2024-03-02: hftbacktest needs the incremental_book_L2 of the same day; download them',
    },
    {
      source: sources[3],
      message:
        'skipping incremental_book_L2-B-2024-03-01: hftbacktest needs the trades of the same day; download them',
    },
    {
      source: sources[4],
      message:
        'skipping trades-PERPETUALS-2024-03-01: hftbacktest needs the incremental_book_L2 of the same day; PERPETUALS may have none, so download both data types of its single symbols',
    },
  ]);
});

test('refuses two files of one data type, symbol and day', async () => {
  const sources = [source('trades', 'A', '2024-03-01', 'a/t'), source('trades', 'A', '2024-03-01', 'b/t')];
  await assert.rejects(hftbacktest.plan(sources, hftbacktest.readSettings({}), CONTEXT), {
    code: 'usage',
    message: 'deribit 2024-03-01 A: several files have its rows: a/t, b/t',
  });
});

test('reads durations down to nanoseconds', () => {
  const read = (text: string): number => hftbacktest.readSettings({ 'base-latency': text }).baseLatencyNs;
  assert.deepEqual(['0', '7ns', '1.5us', '2ms', '1s'].map(read), [0, 7, 1500, 2_000_000, 1_000_000_000]);
  for (const text of ['', '5', '-1ms', '1 d', '9999999h']) assert.throws(() => read(text), { code: 'usage' });
});

test('refuses an unknown way to treat snapshots', () => {
  assert.throws(() => hftbacktest.readSettings({ snapshots: 'drop' }), {
    code: 'usage',
    message: '--snapshots: "drop" is not one of process, ignore-sod, ignore',
  });
});
