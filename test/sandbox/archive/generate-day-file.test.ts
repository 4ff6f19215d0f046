import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DATA_TYPES, type DataType, dataTypeColumns } from '../../../src/day-files/data-types.js';
import { parseDay } from '../../../src/day-files/day.js';
import type { DayFile } from '../../../src/day-files/day-file.js';
import { generateDayFileText } from '../../../src/sandbox/archive/generate-day-file.js';

const DAY = parseDay('2024-03-01');
const US_A_DAY = 86_400_000_000;

type Row = Readonly<Record<string, string>>;

function generateRows(exchange: string, dataType: DataType, symbol: string, rows = 3000): Row[] {
  const file: DayFile = { exchange, dataType, symbol, day: DAY };
  const lines = [...generateDayFileText(file, [symbol], { rows, seed: 1 })].join('').trimEnd().split('\n');
  const names = (lines.shift() ?? '').split(',');
  assert.deepEqual(
    names,
    dataTypeColumns(dataType)?.map(({ name }) => name),
  );
  return lines.map((line) => {
    const cells = line.split(',');
    assert.equal(cells.length, names.length, line);
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}

const number = (row: Row | undefined, name: string): number => Number(row?.[name]);

const SHAPES = {
  text: /^[^,"]*$/,
  time: /^(\d{16})?$/,
  number: /^(-?\d+(\.\d+)?)?$/,
  boolean: /^(true|false)$/,
};

/** The rows of a change or an order have equal times; each other row is a message. */
const OF_SEVERAL_ROWS: readonly DataType[] = ['trades', 'incremental_book_L2', 'options_chain'];
/** They have a row for each change of their best levels; the others have the requested number. */
const OF_CHANGES: readonly DataType[] = ['quotes', 'book_ticker', 'book_snapshot_5', 'book_snapshot_25'];

for (const dataType of DATA_TYPES) {
  test(`${dataType}: cells have the form of their column, times never decrease, rows of a message have equal times`, () => {
    const rows = generateRows('deribit', dataType, 'BTC-PERPETUAL');
    if (OF_CHANGES.includes(dataType)) assert.ok(rows.length > 1000 && rows.length < 3000);
    else assert.equal(rows.length, 3000);
    for (const { name, kind } of dataTypeColumns(dataType) ?? []) {
      assert.ok(
        rows.every((row) => SHAPES[kind].test(row[name] ?? 'missing')),
        name,
      );
    }
    for (const [i, row] of rows.entries()) {
      assert.equal(row['exchange'], 'deribit');
      const local = number(row, 'local_timestamp');
      assert.ok(local >= DAY * US_A_DAY && local < (DAY + 1) * US_A_DAY);
      assert.ok(number(row, 'timestamp') <= local);
      assert.ok(i === 0 || local >= number(rows[i - 1], 'local_timestamp'));
      assert.ok(i === 0 || number(row, 'timestamp') >= number(rows[i - 1], 'timestamp'));
    }
    const messages = new Set(rows.map((row) => row['local_timestamp']));
    if (OF_SEVERAL_ROWS.includes(dataType)) assert.ok(messages.size > 500 && messages.size < 2000);
    else assert.equal(messages.size, rows.length);
  });
}

test('the first rows may have a time of the previous day; without exchange times both times are equal', () => {
  const [first] = generateRows('bitmex', 'quotes', 'XBTUSD');
  assert.ok(number(first, 'timestamp') < DAY * US_A_DAY);
  assert.ok(
    generateRows('ftx', 'trades', 'BTC-PERP').every((row) => row['timestamp'] === row['local_timestamp']),
  );
});

test('prices walk: they change in small steps, and stay above zero', () => {
  for (const [exchange, symbol] of [
    ['binance-futures', 'BTCUSDT'],
    ['binance-futures', 'DOGEUSDT'],
    ['coinbase', 'A+B-USD'],
  ] as const) {
    const prices = generateRows(exchange, 'trades', symbol).map((row) => number(row, 'price'));
    assert.ok(new Set(prices).size > 10);
    for (const [i, price] of prices.entries()) {
      const last = prices[i - 1] ?? price;
      assert.ok(price > 0 && Math.abs(price - last) / last < 0.01, `${symbol} ${last} ${price}`);
    }
  }
});

test('ids are counters, UUIDs, integers above 2^53, or empty, by exchange', () => {
  const ids = (exchange: string): string[] =>
    generateRows(exchange, 'trades', 'BTCUSDT', 300).map((row) => row['id'] ?? '');
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  assert.ok(ids('bitmex').every((id) => uuid.test(id)));
  assert.ok(ids('huobi').every((id) => BigInt(id) > BigInt(Number.MAX_SAFE_INTEGER)));
  assert.ok(ids('kraken').every((id) => id === ''));
  for (const exchange of ['bitmex', 'huobi', 'deribit']) assert.equal(new Set(ids(exchange)).size, 300);
});

test('derivative_ticker: rates have 20 decimals, and some cells are empty', () => {
  const deribit = generateRows('deribit', 'derivative_ticker', 'BTC-PERPETUAL');
  assert.ok(deribit.every((row) => row['funding_timestamp'] === '' && row['predicted_funding_rate'] === ''));
  assert.ok(deribit.every((row) => /\.\d{20}$/.test(row['funding_rate'] ?? '')));
  assert.equal(deribit[0]?.['last_price'], '');
  for (const row of generateRows('bitmex', 'derivative_ticker', 'XBTUSD')) {
    assert.ok(number(row, 'funding_timestamp') >= number(row, 'local_timestamp'));
    assert.notEqual(row['predicted_funding_rate'], '');
  }
});

test('options_chain: symbols include strike, expiry and type; deltas have their sign', () => {
  const rows = generateRows('deribit', 'options_chain', 'OPTIONS');
  assert.ok(new Set(rows.map((row) => row['symbol'])).size > 20);
  for (const row of rows) {
    const call = row['type'] === 'call';
    assert.ok((row['symbol'] ?? '').endsWith(`-${row['strike_price']}-${call ? 'C' : 'P'}`));
    assert.ok(number(row, 'expiration') > number(row, 'local_timestamp'));
    const delta = number(row, 'delta');
    assert.ok(call ? delta >= 0 && delta <= 1 : delta >= -1 && delta <= 0);
    if (row['bid_price'] !== '' && row['ask_price'] !== '') {
      assert.ok(number(row, 'bid_price') <= number(row, 'ask_price'));
    }
  }
  assert.ok(rows.some((row) => row['bid_price'] === '' && row['bid_iv'] === ''));
});
