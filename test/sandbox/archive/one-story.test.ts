import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseOutputSelection } from '../../../src/convert/output-selection.js';
import type { DataType } from '../../../src/day-files/data-types.js';
import { parseDay } from '../../../src/day-files/day.js';
import { generateDayFileText } from '../../../src/sandbox/archive/generate-day-file.js';
import { cellsOf, parquetRows, run } from '../../convert/day-files.js';
import { tempDir } from '../../helpers/temp.js';
import { rowsOf } from '../../market/batches.js';
import type { Row } from '../../market/naive/messages.js';
import { parseCells as cellsOfBody, fileUrl, get, KEY, sandboxFor } from '../helpers.js';

interface Market {
  readonly exchange: string;
  readonly symbol: string;
}

const MARKETS: readonly Market[] = [
  { exchange: 'deribit', symbol: 'BTC-PERPETUAL' },
  { exchange: 'kraken', symbol: 'ETH-EUR' },
  { exchange: 'ftx', symbol: 'BTC-PERP' },
];

function csvOf({ exchange, symbol }: Market, dataType: DataType, rows: number): string {
  const file = { exchange, symbol, dataType, day: parseDay('2024-03-01') };
  return [...generateDayFileText(file, [symbol], { rows, seed: 3 })].join('');
}

/** Quotes have other column names than a snapshot of one level. */
const AS_QUOTE: Readonly<Record<string, string>> = {
  'asks[0].price': 'ask_price',
  'asks[0].amount': 'ask_amount',
  'bids[0].price': 'bid_price',
  'bids[0].amount': 'bid_amount',
};

const FILES: readonly (readonly [string, readonly DataType[]])[] = [
  ['quote', ['quotes', 'book_ticker']],
  ['book_snapshot_5_0ms', ['book_snapshot_5']],
  ['book_snapshot_25_0ms', ['book_snapshot_25']],
];

for (const market of MARKETS) {
  const { exchange, symbol } = market;
  test(`${exchange}: the values that convert computes from L2 are those of the quotes and snapshot files`, async (t) => {
    const dir = await tempDir(t);
    const source = join(dir, `${exchange}_incremental_book_L2_2024-03-01_${symbol}.csv.gz`);
    await writeFile(source, gzipSync(csvOf(market, 'incremental_book_L2', 1500)));
    await run([source], { outputSelection: parseOutputSelection(FILES.map(([name]) => name)) });
    for (const [name, dataTypes] of FILES) {
      const file = await readFile(join(dir, `${exchange}_${name}_2024-03-01_${symbol}.parquet`));
      const computed = (await parquetRows(file)).map((row) =>
        name === 'quote'
          ? Object.fromEntries(Object.entries(row).map(([key, value]) => [AS_QUOTE[key] ?? key, value]))
          : row,
      );
      for (const dataType of dataTypes) {
        const rows = cellsOf(dataType, csvOf(market, dataType, 1500));
        assert.ok(rows.length > 500, `${rows.length} rows of ${dataType}`);
        assert.deepEqual(computed, rows, dataType);
      }
    }
  });

  test(`${exchange}: trades and liquidations have the best price of their time, tickers the price of the last trade`, () => {
    const quotes = rowsOf(csvOf(market, 'quotes', 800));
    const trades = rowsOf(csvOf(market, 'trades', 800));
    const quoteBefore = latestOf(quotes);
    for (const row of [...trades, ...rowsOf(csvOf(market, 'liquidations', 800))]) {
      const quote = quoteBefore(row);
      const best = row['side'] === 'buy' ? quote?.['ask_price'] : quote?.['bid_price'];
      assert.equal(row['price'], best, JSON.stringify(row));
    }
    const tradeBefore = latestOf(trades);
    const tickers = rowsOf(csvOf(market, 'derivative_ticker', 800));
    const reported = tickers.filter((row) => row['last_price'] !== '');
    assert.ok(reported.length > 790 && reported.length < 800);
    for (const row of reported) assert.equal(row['last_price'], tradeBefore(row)?.['price']);
  });
}

/** The last row that was received before another one. */
function latestOf(rows: readonly Row[]): (other: Row) => Row | undefined {
  const timeOf = (row: Row): number => Number(row['local_timestamp']);
  return (other) => rows.findLast((row) => timeOf(row) < timeOf(other));
}

for (const [exchange, grouped, dataType, members] of [
  ['bitmex', 'PERPETUALS', 'trades', ['XBTUSD', 'ETHUSD']],
  ['bitmex', 'PERPETUALS', 'derivative_ticker', ['XBTUSD', 'ETHUSD']],
  ['coinbase', 'SPOT', 'trades', ['BTC-USD', 'ETH-USD', 'A+B-USD', '100%-USD', 'CAFÉ-USD']],
  ['deribit', 'OPTIONS', 'quotes', ['BTC-27DEC24-100000-C', 'BTC-27DEC30-200000-C']],
] as const) {
  test(`${exchange} ${grouped} ${dataType}: the rows of all its symbols, by local time`, async (t) => {
    const service = await sandboxFor(t);
    const rows = async (symbol: string): Promise<string[][]> => {
      const { body } = await get(fileUrl(service, exchange, dataType, '2024/03/01', symbol), KEY);
      return cellsOfBody(body).slice(1);
    };
    const single = await Promise.all(members.map(rows));
    const localTimestamp = (row: readonly string[]): number => Number(row[3]);
    const expected = single.flat().sort((a, b) => localTimestamp(a) - localTimestamp(b));
    assert.ok(expected.length >= members.length * 50);
    assert.deepEqual(await rows(grouped), expected);
  });
}

test('another seed, day or symbol gives other data; the same ones give the same bytes', () => {
  const [market] = MARKETS as [Market];
  const text = (seed: number, day: string, symbol: string): string => {
    const file = { exchange: market.exchange, dataType: 'trades', symbol, day: parseDay(day) };
    const [, ...lines] = [...generateDayFileText(file, [symbol], { rows: 100, seed })].join('').split('\n');
    return lines.map((line) => line.split(',').slice(2).join()).join('\n');
  };
  const first = text(1, '2024-03-01', 'X');
  assert.equal(text(1, '2024-03-01', 'X'), first);
  const others = [text(2, '2024-03-01', 'X'), text(1, '2024-03-02', 'X'), text(1, '2024-03-01', 'Y')];
  assert.equal(new Set([first, ...others]).size, 4);
});
