import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FundingRates, MarkCandles } from '../../../src/export/freqtrade/export-funding.js';
import { rounds } from '../../helpers/services.js';

const HOUR = 3_600e6;
const DAY = 24 * HOUR;
/** 2024-03-01 as a day, and its start in microseconds. */
const MARCH = 19_783;
const START = MARCH * DAY;

/** Microseconds after the start of the day. */
function at(clock: string, days = 0): number {
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number);
  return START + days * DAY + Math.round((hours * 3600 + minutes * 60 + seconds) * 1e6);
}

const FUNDINGS = [
  [at('07:59:50'), at('08:00'), 0.0001],
  [at('07:59:59.9'), at('08:00'), 0.00012],
  [at('08:00:00.2'), at('08:00'), 0.00013],
  [at('08:00:03'), at('16:00'), 0.00005],
  [at('15:59:59'), at('16:00'), 0.00007],
  [at('16:00:02'), at('00:00', 1), -0.00001],
  [at('23:59:59'), at('00:00', 1), -0.00002],
] as const;

function ratesOf(
  rows: readonly (readonly [timestamp: number, funding: number, rate: number])[],
  { days = [MARCH], interval = HOUR, grid }: { days?: number[]; interval?: number; grid?: number } = {},
): readonly (readonly [ms: number, rate: number])[] {
  const rates = new FundingRates(grid);
  for (const row of rows) rates.add(...row);
  return rates.list(interval, new Set(days)).map(({ start, open, high, low, close }) => {
    // A candle that freqtrade fills has the close before, so that it charges nothing.
    assert.deepEqual([high, low, close], [0, 0, 0]);
    return [start / 1000, open];
  });
}

test('a funding has the last rate before it was charged', () => {
  const expected = [
    [1709280000000, 0.00012],
    [1709308800000, 0.00007],
    [1709337600000, -0.00002],
  ];
  assert.deepEqual(ratesOf(FUNDINGS), expected);
  assert.deepEqual(ratesOf(FUNDINGS.toReversed()), expected);
});

test('a funding after the given days is not known yet; an empty rate does not count', () => {
  const rows = [
    [at('10:00'), at('08:00', 1), 0.01],
    [at('11:00'), at('16:00'), Number.NaN],
  ] as const;
  assert.deepEqual(ratesOf(rows), []);
  assert.deepEqual(ratesOf([...rows, [at('12:00'), at('16:00', 1), Number.NaN]]), [
    [at('08:00', 1) / 1000, 0.01],
  ]);
});

test('the time of a funding is floored, and the first of two in one interval counts', () => {
  const rows = [
    [at('07:00'), at('08:00') + 17_000, 0.01],
    [at('08:30'), at('09:00') + 5000, 0.02],
  ] as const;
  assert.deepEqual(ratesOf(rows), [
    [at('08:00') / 1000, 0.01],
    [at('09:00') / 1000, 0.02],
  ]);
  assert.deepEqual(ratesOf(rows, { interval: 8 * HOUR }), [[at('08:00') / 1000, 0.01]]);
});

test('without times of fundings, a grid has the last rate at each of its times, if it is given', () => {
  const none = Number.NaN;
  const rows = [
    [at('00:00'), none, 0.1],
    [at('07:59'), none, 0.2],
    [at('08:00'), none, 0.3],
    [at('08:00:01'), none, 0.4],
  ] as const;
  assert.deepEqual(ratesOf(rows), []);
  assert.deepEqual(ratesOf(rows, { grid: 8 * HOUR }), [
    [at('00:00') / 1000, 0.1],
    [at('08:00') / 1000, 0.3],
    [at('16:00') / 1000, 0.4],
  ]);
});

test('mark candles have the prices of rows, and no row for an interval without any', () => {
  const candles = new MarkCandles(HOUR);
  for (const [time, price] of [
    ['08:59:59.999', 99],
    ['07:59:59.5', 100],
    ['08:00:00', 101],
    ['08:30', 103],
    ['08:45', Number.NaN],
    ['10:00', 102],
  ] as const)
    candles.add(at(time), price);
  candles.add(at('00:10', 1), 5);
  assert.deepEqual(candles.list(new Set([MARCH])), [
    { start: at('07:00'), open: 100, high: 100, low: 100, close: 100 },
    { start: at('08:00'), open: 101, high: 103, low: 99, close: 99 },
    { start: at('10:00'), open: 102, high: 102, low: 102, close: 102 },
  ]);
});

/** Half hours and intervals of eight hours from the start of the day; a negative number is an empty cell. */
const ROW = fc.record({
  halfHours: fc.integer({ min: 0, max: 60 }),
  micros: fc.integer({ min: 0, max: 1 }),
  fundings: fc.integer({ min: -1, max: 6 }),
  rate: fc.integer({ min: -1, max: 9 }),
});

test('random tickers give what a sort by time gives', () => {
  fc.assert(
    fc.property(fc.array(ROW, { minLength: 1, maxLength: 60 }), (drawn) => {
      const orEmpty = (value: number, scale = 1): number => (value < 0 ? Number.NaN : value * scale);
      const rows = drawn.map(({ halfHours, micros, fundings, rate }, i) => ({
        i,
        timestamp: START + (halfHours * HOUR) / 2 + micros,
        funding: START + orEmpty(fundings, 8 * HOUR),
        rate: orEmpty(rate),
      }));
      const sorted = rows.toSorted((a, b) => a.timestamp - b.timestamp || a.i - b.i);
      const fundings = [...new Set(rows.flatMap(({ funding }) => (funding > 0 ? [funding] : [])))].sort();
      const end = Math.max(START + DAY, sorted.at(-1)?.timestamp ?? 0);
      const expected = fundings.flatMap((funding, i) => {
        const row = sorted.findLast(
          (row) => row.funding === funding && row.rate >= 0 && row.timestamp <= funding,
        );
        const isKnown = funding <= end || i < fundings.length - 1;
        return row && isKnown ? [[funding / 1000, row.rate]] : [];
      });
      assert.deepEqual(
        ratesOf(rows.map(({ timestamp, funding, rate }) => [timestamp, funding, rate])),
        expected,
      );

      const marks = new MarkCandles(HOUR);
      for (const { timestamp, i } of rows) marks.add(timestamp, i);
      const starts = [...new Set(sorted.map(({ timestamp }) => Math.floor(timestamp / HOUR) * HOUR))];
      const candles = starts
        .filter((start) => start < START + DAY)
        .map((start) => {
          const inside = sorted.filter(({ timestamp }) => timestamp >= start && timestamp < start + HOUR);
          const prices = inside.map(({ i }) => i);
          return {
            start,
            open: prices[0],
            high: Math.max(...prices),
            low: Math.min(...prices),
            close: prices.at(-1),
          };
        });
      assert.deepEqual(marks.list(new Set([MARCH])), candles);
    }),
    { numRuns: rounds(100) },
  );
});
