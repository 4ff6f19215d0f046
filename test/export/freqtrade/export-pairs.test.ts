import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { US_PER_DAY } from '../../../src/day-files/day.js';
import { SortedTrades, TradeColumns, type TradeRows } from '../../../src/export/freqtrade/sorted-trades.js';
import { rounds } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import { exportHere, MIDNIGHT, readFeather, type TradeRow, writeTrades } from './exporting.js';
import { slowCandles, slowTrades } from './slow-pairs.js';

const MINUTE_US = 60e6;
const SETTINGS = { timeframes: ['1m'], pair: 'BTC/USDT' };

test('writes the candles of the test vector', async (t) => {
  const dir = await tempDir(t);
  const row = (time: number, price: number, amount: number): TradeRow => ({ time, price, amount });
  const source = await writeTrades(dir, [
    row(-1, 100, 1),
    row(0, 101, 2),
    row(59_999_999, 102.5, 0.1),
    row(60_000_000, 103, 0.2),
    row(59_999_500, 99, 0.3),
  ]);
  assert.deepEqual(await exportHere([source], dir, SETTINGS), []);
  const { volume, ...candles } = await readFeather(join(dir, 'BTC_USDT-1m.feather'));
  assert.deepEqual(candles, {
    date: [MIDNIGHT * 1000, (MIDNIGHT + MINUTE_US) * 1000],
    open: [101, 103],
    high: [102.5, 103],
    low: [99, 103],
    close: [102.5, 103],
  });
  assert.ok(Math.abs(Number(volume?.[0]) - 2.4) < 1e-9);
  assert.equal(volume?.[1], 0.2);
  const { price, timestamp } = await readFeather(join(dir, 'BTC_USDT-trades.feather'));
  assert.deepEqual(price, [100, 101, 99, 102.5, 103]);
  assert.equal(timestamp?.[0], MIDNIGHT / 1000 - 1);
});

const trade = fc.record({
  id: fc.constantFrom('', '', '1', '22', 'é'),
  side: fc.constantFrom('buy', 'sell', 'unknown', ''),
  price: fc.integer({ min: 1, max: 50 }),
  amount: fc.constantFrom(0, 0.5, 1, 3),
});
/** Times near the start of a day, mostly ascending; some lie far away. */
const offset = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 3, arbitrary: fc.integer({ min: -3 * MINUTE_US, max: 3 * MINUTE_US }) },
  { weight: 1, arbitrary: fc.integer({ min: -3 * US_PER_DAY, max: 3 * US_PER_DAY }) },
  // The time of a trade of the day before.
  { weight: 3, arbitrary: fc.integer({ min: -9, max: 9 }).map((rows) => rows * 1000 - US_PER_DAY) },
);
const day = fc.array(fc.tuple(trade, offset), { maxLength: 80 });

/** Rows of a day, a millisecond after each other but for their offsets. */
function toRows(trades: readonly (readonly [Omit<TradeRow, 'time'>, number])[], index: number): TradeRow[] {
  return trades.map(([row, offset], i) => ({ ...row, time: index * US_PER_DAY + i * 1000 + offset }));
}

test('writes trades and candles as a slow reference does, however far trades are out of order', async (t) => {
  const dir = await tempDir(t);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(day, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 7, 1000),
      async (days, held) => {
        const folder = join(dir, String(run++));
        const rows = days.map(toRows);
        const sources = await Promise.all(rows.map((trades, i) => writeTrades(folder, trades, i)));
        await exportHere(sources, folder, { timeframes: ['1m', '1d'], pair: 'BTC/USDT' }, { held });
        const all = rows.flat();
        if (all.length === 0) return;
        assert.deepEqual(await readFeather(join(folder, 'BTC_USDT-trades.feather')), slowTrades(all));
        const given = days.map((_, i) => i);
        for (const [name, minutes] of [
          ['1m', 1],
          ['1d', 1440],
        ] as const) {
          const expected = slowCandles(all, minutes, given);
          const path = join(folder, `BTC_USDT-${name}.feather`);
          if (expected['date']?.length === 0) continue;
          assert.deepEqual(await readFeather(path), expected);
        }
      },
    ),
    { numRuns: rounds(60) },
  );
});

test('writes many trades, in part without ids and out of order, as a slow reference does', async (t) => {
  const dir = await tempDir(t);
  const rows = Array.from({ length: 100_000 }, (_, i) => ({
    time: i * 700 - (i % 3) * 1000,
    price: 100 + (i % 100) / 4,
    amount: (i % 7) / 8,
    side: i % 2 === 0 ? 'buy' : 'sell',
    id: i % 5 === 0 ? '' : String(1e9 + i),
  }));
  const source = await writeTrades(dir, rows);
  // Two batches and a rest.
  await exportHere([source], dir, SETTINGS, { held: 70_000 });
  assert.deepEqual(await readFeather(join(dir, 'BTC_USDT-trades.feather')), slowTrades(rows));
});

test('writes each pair of a grouped symbol, and leaves out symbols without a pair', async (t) => {
  const dir = await tempDir(t);
  const rows = Array.from({ length: 3000 }, (_, i) => ({
    symbol: ['btcusdt', 'ETHUSDT', 'NEW'][i % 3] as string,
    time: i * 1000 - (i % 7) * 5000,
    price: 1 + (i % 11),
    amount: i % 5,
    id: String(i),
  }));
  const source = await writeTrades(dir, rows, 0, 'PERPETUALS');
  const pairs = { BTCUSDT: 'BTC/USDT:USDT', ETHUSDT: 'ETH/USDT:USDT', XRPUSDT: 'XRP/USDT:USDT' };
  const warnings = await exportHere([source], join(dir, 'out'), { timeframes: ['1m'], pairs }, { held: 100 });
  assert.deepEqual(warnings, ['binance BTCUSDT: NEW: no pair is known; leaving out 1000 trades']);
  assert.deepEqual((await readdir(join(dir, 'out/futures'))).sort(), [
    'BTC_USDT_USDT-1m-futures.feather',
    'BTC_USDT_USDT-trades.feather',
    'ETH_USDT_USDT-1m-futures.feather',
    'ETH_USDT_USDT-trades.feather',
  ]);
  for (const [name, symbol] of [
    ['BTC', 'btcusdt'],
    ['ETH', 'ETHUSDT'],
  ]) {
    const own = rows.filter((row) => row.symbol === symbol);
    const base = join(dir, 'out/futures', `${name}_USDT_USDT`);
    assert.deepEqual(await readFeather(`${base}-trades.feather`), slowTrades(own));
    assert.deepEqual(await readFeather(`${base}-1m-futures.feather`), slowCandles(own, 1, [0]));
  }
});

test('writes no files of days without trades, with a warning', async (t) => {
  const dir = await tempDir(t);
  const source = await writeTrades(dir, []);
  assert.deepEqual(await exportHere([source], join(dir, 'out'), SETTINGS), [
    'binance BTCUSDT: no trades, so there are no files',
  ]);
});

test('names line and column of an empty price', async (t) => {
  const dir = await tempDir(t);
  const source = await writeTrades(dir, [
    { time: 0, price: 1, amount: 1 },
    { time: 1, price: '', amount: 1 },
  ]);
  await assert.rejects(exportHere([source], dir, SETTINGS), {
    code: 'corrupt',
    message: `${source.path}: line 3, column price: "" is empty; freqtrade needs it; download the file again with --existing overwrite`,
  });
});

test('refuses more late trades than fit in memory, and leaves no output', async (t) => {
  const dir = await tempDir(t);
  const out = join(dir, 'out');
  const limits = { held: 4, late: 3 };
  const exportLate = async (count: number): Promise<void> => {
    const times = [1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007];
    const first = await writeTrades(
      dir,
      times.map((time) => ({ time, price: 1, amount: 1 })),
    );
    const late = Array.from({ length: count }, (_, time) => ({ time, price: 2, amount: 1 }));
    const second = await writeTrades(dir, late, 1);
    await exportHere([first, second], out, SETTINGS, limits);
  };
  await assert.rejects(exportLate(4), {
    code: 'corrupt',
    exitCode: 6,
    message: `${join(dir, 'binance_trades_2024-03-02_BTCUSDT.csv.gz')}: more than 3 trades are far from the order of exchange times; leave the file out`,
  });
  assert.deepEqual(await readdir(out).catch(() => []), []);
  await exportLate(3);
  const { price } = await readFeather(join(out, 'BTC_USDT-trades.feather'));
  assert.deepEqual(price?.slice(0, 4), [2, 2, 2, 1]);
});

interface Trade {
  readonly timestamp: number;
  /** Its position among all trades, which its id, price and amount name. */
  readonly number: number;
}

function toTradeRows(trades: readonly Trade[]): TradeRows {
  const columns = new TradeColumns();
  for (const { timestamp, number } of trades) {
    const ids = Buffer.from(String(number));
    const idOffsets = Int32Array.of(0, ids.length);
    const [timestamps, prices, amounts] = [timestamp, number, -number].map((value) => Float64Array.of(value));
    columns.append({ timestamps, prices, amounts, sides: Uint8Array.of(1), idOffsets, ids } as TradeRows, 0);
  }
  return columns.slice(0, trades.length);
}

function fromRows({ timestamps, prices, amounts, idOffsets, ids }: TradeRows): Trade[] {
  return Array.from(timestamps, (timestamp, row) => {
    const number = prices[row] as number;
    assert.equal(amounts[row], -number);
    assert.equal(Buffer.from(ids.subarray(idOffsets[row], idOffsets[row + 1])).toString(), String(number));
    return { timestamp, number };
  });
}

/** Batches of more trades than the columns first have memory for; mostly in order, with some at an earlier time. */
const steps = fc.array(
  fc.record({
    rows: fc.integer({ min: 1, max: 400 }),
    late: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      fc.record({ row: fc.oneof(fc.nat(2), fc.nat(399)), by: fc.nat(900) }),
    ),
    /** The share that is then taken. */
    taken: fc.constantFrom(0, 0.5, 0.5, 1),
  }),
  { minLength: 1, maxLength: 25 },
);

test('takes trades in the order of their times, and those of equal times in that of their addition', () => {
  fc.assert(
    fc.property(steps, (found) => {
      const sorted = new SortedTrades();
      let expected: Trade[] = [];
      let count = 0;
      for (const { rows, late, taken } of found) {
        const batch = Array.from({ length: rows }, (_, row) => {
          const number = count++;
          return { number, timestamp: (number >> 1) - (row === late?.row ? late.by : 0) };
        });
        const columns = toTradeRows(batch);
        if (!sorted.addIfSorted(columns)) for (let row = 0; row < rows; row++) sorted.add(columns, row);
        expected = [...expected, ...batch].sort((a, b) => a.timestamp - b.timestamp);
        assert.equal(sorted.rows, expected.length);
        assert.equal(sorted.firstTimestamp, expected[0]?.timestamp);
        const first = Math.ceil(taken * expected.length);
        if (first > 0) assert.deepEqual(fromRows(sorted.take(first)), expected.splice(0, first));
      }
      if (expected.length > 0) assert.deepEqual(fromRows(sorted.take(expected.length)), expected);
    }),
    { numRuns: 100 },
  );
});
