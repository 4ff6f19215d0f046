import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatBarStep,
  parseBarName,
  readNautilusOptions,
} from '../../../src/export/nautilus/nautilus-options.js';

test('reduces the steps of bars', () => {
  const steps = {
    trade_bar_100ms: '100-MILLISECOND',
    trade_bar_1000ms: '1-SECOND',
    trade_bar_30000ms: '30-SECOND',
    trade_bar_60s: '1-MINUTE',
    trade_bar_5m: '5-MINUTE',
    trade_bar_120m: '2-HOUR',
    trade_bar_1440m: '1-DAY',
    trade_bar_1000ticks: '1000-TICK',
    trade_bar_50vol: '50-VOLUME',
  };
  for (const [name, step] of Object.entries(steps)) assert.equal(formatBarStep(parseBarName(name)), step);
});

test('refuses flags that a catalog cannot have', () => {
  const cases: readonly (readonly [Parameters<typeof readNautilusOptions>[0], RegExp])[] = [
    [{ as: ['trade_bar_7m'] }, /--as trade_bar_7m: 7 minutes do not divide the next unit/],
    [{ as: ['trade_bar_1500ms'] }, /1500 milliseconds do not divide/],
    [{ as: ['trade_bar_2880m'] }, /2 days do not divide/],
    [{ as: ['trade_bar_0.5vol'] }, /the step of a bar must be a whole number/],
    [{ as: ['book_snapshot_5_1s'] }, /a catalog has only bars and rows/],
    [{ as: ['trade_bars_1m'] }, /is not a computed type/],
    [{ as: ['trade_bar_60s', 'trade_bar_1m'] }, /trade_bar_60s and trade_bar_1m are the same bars/],
    [{ catalog: 'java' }, /--catalog: "java" is not a valid value; use python or rust/],
    [{ precision: '32' }, /--precision: "32" is not a valid value; use 128 or 64/],
    [{ 'price-precision': '17' }, /use 0 to 16 with --precision 128/],
    [{ 'size-precision': '10', precision: '64' }, /use 0 to 9 with --precision 64/],
    [{ 'price-precision': '1.5' }, /"1.5" is not a number of decimals/],
    [{ 'instrument-id': 'BTCUSDT' }, /is not <SYMBOL>.<VENUE>/],
  ];
  for (const [flags, message] of cases) assert.throws(() => readNautilusOptions(flags), message);
});
