import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnknownFormError } from '../../../src/exchange-adapters/normalizer.js';
import {
  bullishBooks,
  bullishBookTickers,
  bullishDerivativeTickers,
  bullishOptionSummaries,
  bullishTrades,
} from '../../../src/exchange-adapters/own/bullish-normalizers.js';
import { linesOf } from '../feed-lines-of.js';
import { AT_LOCAL, AT_MS, MS, read, TIME } from './messages.js';

const DATETIME = new Date(TIME / 1000).toISOString();

const message = (dataType: string, data: unknown, type = 'update'): object => ({ type, dataType, data });

test("Bullish's trades have the taker's side, and those of the snapshot are from before the connection", () => {
  const trade = (values: object): object => ({
    symbol: 'BTCUSDC',
    tradeId: '100118000001462723',
    price: '66250.5',
    quantity: '0.0042',
    createdAtDatetime: DATETIME,
    createdAtTimestamp: '1745457580258000000',
    ...values,
  });
  const sides = [
    [{ side: 'BUY', isTaker: true }, 'buy'],
    [{ side: 'SELL', isTaker: true }, 'sell'],
    [{ side: 'BUY', isTaker: false }, 'sell'],
    [{ side: 'SELL', isTaker: false }, 'buy'],
    [{ side: 'NEITHER', isTaker: true }, 'unknown'],
  ] as const;
  const trades = sides.map(([values]) => trade(values));
  const expected = { type: 'trade', symbol: 'BTCUSDC', id: '100118000001462723', price: 66250.5 };
  assert.deepEqual(
    read(bullishTrades(), message('V1TAAnonymousTradeUpdate', { trades })),
    sides.map(([, side]) => ({ ...expected, amount: 0.0042, side, ...AT_MS })),
  );
  assert.deepEqual(read(bullishTrades(), message('V1TAAnonymousTradeUpdate', { trades: [] })), []);
  assert.deepEqual(read(bullishTrades(), message('V1TAAnonymousTradeUpdate', { trades }, 'snapshot')), []);
  const untimed = trade({ ...sides[0][0], createdAtDatetime: undefined });
  const [record] = read(bullishTrades(), message('V1TAAnonymousTradeUpdate', { trades: [untimed] }));
  assert.deepEqual(record, { ...expected, amount: 0.0042, side: 'buy', ...AT_LOCAL });
});

test("Bullish's books alternate prices and amounts, and a time with too few digits is none", () => {
  const books = bullishBooks();
  const data = (values: object): object => ({
    symbol: 'BTCUSDC',
    bids: ['94.5190', '56.3', '94.4890', '0'],
    asks: [],
    timestamp: MS,
    ...values,
  });
  const record = {
    type: 'book_change',
    symbol: 'BTCUSDC',
    bids: [
      { price: 94.519, amount: 56.3 },
      { price: 94.489, amount: 0 },
    ],
    asks: [],
  };
  const snapshot = message('V1TALevel2', data({ sequenceNumberRange: [7, 7] }), 'snapshot');
  assert.deepEqual(read(books, snapshot), [{ ...record, isSnapshot: true, ...AT_MS }]);
  const late = data({ sequenceNumberRange: ['8', '9'], timestamp: '1784801', bids: undefined });
  assert.deepEqual(read(books, message('V1TALevel2', late)), [
    { ...record, bids: [], isSnapshot: false, ...AT_LOCAL },
  ]);
  assert.equal(read(books, message('V1TALevel2', data({}))).length, 1);
  assert.throws(() => read(books, message('V1TALevel2', data({}), 'error')), UnknownFormError);
  assert.deepEqual(
    read(books, { jsonrpc: '2.0', id: '1', result: { message: 'Successfully subscribed' } }),
    [],
  );
});

test("Bullish's best prices are 0 or missing if a side is empty, with the bid first in lines", async () => {
  const best = (values: object): object => message('V1TALevel1', { symbol: 'X', timestamp: MS, ...values });
  assert.deepEqual(read(bullishBookTickers(), best({ bid: ['0.00000000', '0.00000000'] })), [
    { type: 'book_ticker', symbol: 'X', ...AT_MS },
  ]);
  const both = best({ bid: ['1', '2'], ask: ['3', '4'] });
  const [line] = await linesOf({ exchange: 'bullish', types: 'book_ticker' }, [
    ['2026-08-03T10:00:00.5000000Z', both],
  ]);
  assert.match(line ?? '', /"bidPrice":1,"bidAmount":2,"askPrice":3,"askAmount":4,/);
});

test("Bullish's futures and options have the last index price of their asset", () => {
  const ticker = (symbol: string, values: object): object =>
    message('V1TATickerResponse', { symbol, createdAtDatetime: DATETIME, ...values });
  const index = (price: string): object =>
    message('V1TAIndexPrice', { assetSymbol: 'BTC', price, updatedAtDatetime: DATETIME }, 'snapshot');
  const futures = bullishDerivativeTickers();
  assert.deepEqual(read(futures, ticker('BTC-USDC-PERP', { last: '0', markPrice: null })), []);
  assert.deepEqual(read(futures, index('78032.2500')), []);
  assert.deepEqual(read(futures, index('0')), []);
  const values = { last: '78029.65', markPrice: '78035.395', fundingRate: '0.000000', openInterest: '' };
  const record = { type: 'derivative_ticker', lastPrice: 78029.65, fundingRate: 0, indexPrice: 78032.25 };
  for (const symbol of ['BTC-USDC-PERP', 'BTC-USDC-20260426']) {
    assert.deepEqual(read(futures, ticker(symbol, values)), [
      { ...record, symbol, markPrice: 78035.395, ...AT_MS },
    ]);
    assert.deepEqual(read(futures, ticker(symbol, values)), []);
  }
  for (const symbol of ['BTCUSDC', 'BTC-USDC-20260426-70000-C'])
    assert.deepEqual(read(futures, ticker(symbol, values)), []);
  assert.deepEqual(read(futures, message('V1TATickerResponse', null)), []);

  const options = bullishOptionSummaries();
  read(options, index('78032.2500'));
  const option = {
    ...{ bestBid: '0.0000', bidVolume: '0', bestAsk: '120.5', askVolume: '3', last: null },
    ...{ openInterest: '0.00', markPrice: '0', impliedVolatility: '0.55', delta: '-0.25', gamma: '' },
  };
  assert.deepEqual(read(options, ticker('BTC-USDC-20260426-70000-P', option)), [
    {
      type: 'option_summary',
      symbol: 'BTC-USDC-20260426-70000-P',
      optionType: 'put',
      strikePrice: 70_000,
      expirationDate: Date.UTC(2026, 3, 26, 8) * 1000,
      bestAskPrice: 120.5,
      bestAskAmount: 3,
      openInterest: 0,
      markPrice: 0,
      markIV: 0.55,
      delta: -0.25,
      underlyingPrice: 78032.25,
      underlyingIndex: 'BTC',
      ...AT_MS,
    },
  ]);
  assert.deepEqual(read(options, ticker('BTC-USDC-PERP', option)), []);
  const symbols = ['BTC-USDC-PERP', 'BTC-USDC-20260426', 'ETH-USDC-PERP'];
  assert.deepEqual(futures.filters(symbols), [
    { channel: 'V1TATickerResponse', symbols },
    { channel: 'V1TAIndexPrice', symbols: ['BTC', 'ETH'] },
  ]);
  assert.deepEqual(options.filters(undefined), [
    { channel: 'V1TATickerResponse' },
    { channel: 'V1TAIndexPrice' },
  ]);
});
