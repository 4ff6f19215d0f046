import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, parseDay } from '../../../src/day-files/day.js';
import { parseLayout } from '../../../src/day-files/layout.js';
import { layoutPrefixes } from '../../../src/download/plan/plan-prefixes.js';

const FROM = parseDay('2023-12-30');
const TEMPLATES = [
  'flat',
  'hive',
  '{year}/{month}/{day}/{name}',
  '{day}/{name}',
  '{symbol}/{year}-{month}/{type}/{exchange}/{day}-{date}',
  '{type}/.{symbol}/{name}',
  'constructor{year}/{symbol}/{name}',
  'all/{exchange}/{symbol}/{date}/{type}/{name}',
];

test('every path of a plan begins with one of a few prefixes', () => {
  const name = fc.constantFrom('BTCUSDT', 'A:B', '..', 'x/y', 'ETH', 'SOL', '.tickhaul');
  fc.assert(
    fc.property(
      fc.constantFrom(...TEMPLATES),
      fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
      fc.uniqueArray(fc.constantFrom('trades', 'quotes', 'book_snapshot_5'), { minLength: 1 }),
      fc.integer({ min: 1, max: 800 }),
      fc.integer({ min: 1, max: 200 }),
      (template, symbols, dataTypes, days, most) => {
        const layout = parseLayout(template);
        const to = addDays(FROM, days);
        const prefixes = layoutPrefixes(layout, { exchange: 'x', dataTypes, symbols, from: FROM, to }, most);
        assert.ok(prefixes.length >= 1 && prefixes.length <= most);
        for (const symbol of symbols)
          for (const dataType of dataTypes)
            for (const day of [FROM, addDays(FROM, days >> 1), addDays(to, -1)]) {
              const path = layout.pathOf({ exchange: 'x', dataType, symbol, day }, 'parquet');
              assert.ok(
                prefixes.some((prefix) => path.startsWith(prefix)),
                `${path} of ${prefixes[0]} …`,
              );
            }
      },
    ),
  );
});

test('prefixes are as narrow as possible', () => {
  const prefixes = (template: string, symbols: readonly string[], days: number, most = 1000) =>
    layoutPrefixes(
      parseLayout(template),
      { exchange: 'binance', dataTypes: ['trades'], symbols, from: FROM, to: addDays(FROM, days) },
      most,
    );
  assert.deepEqual(prefixes('flat', ['BTC'], 1), ['binance_trades_2023-12-30_BTC']);
  assert.deepEqual(prefixes('flat', ['A', 'B'], 60, 3), [
    'binance_trades_2023-12',
    'binance_trades_2024-01',
    'binance_trades_2024-02',
  ]);
  assert.deepEqual(prefixes('hive', ['A', 'B'], 300, 5), [
    'exchange=binance/data_type=trades/dataset_symbol=A/date=2023',
    'exchange=binance/data_type=trades/dataset_symbol=A/date=2024',
    'exchange=binance/data_type=trades/dataset_symbol=B/date=2023',
    'exchange=binance/data_type=trades/dataset_symbol=B/date=2024',
  ]);
  assert.deepEqual(prefixes('hive', ['A'], 1), [
    'exchange=binance/data_type=trades/dataset_symbol=A/date=2023-12-30/binance_trades_2023-12-30_A',
  ]);
  assert.deepEqual(
    prefixes('hive', ['A'], 33),
    ['2023-12', '2024-01'].map((month) => `exchange=binance/data_type=trades/dataset_symbol=A/date=${month}`),
    'a month at once, not day by day',
  );
  assert.deepEqual(prefixes('{type}/{symbol}/{year}/{month}/{day}/{name}', ['A'], 2), ['trades/A/2023/12/']);
  assert.deepEqual(prefixes('hive', ['A', 'B'], 1, 1), ['exchange=binance/data_type=trades/dataset_symbol=']);
  const own = parseLayout(({ name }) => name);
  assert.deepEqual(
    layoutPrefixes(
      own,
      { exchange: 'x', dataTypes: ['trades'], symbols: ['A'], from: FROM, to: FROM + 1 },
      9,
    ),
    [''],
  );
});
