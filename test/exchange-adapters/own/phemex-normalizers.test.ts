// Names of markets: cspell:ignoreRegExp /\b[suc]?[A-Z0-9]{3,}\b/g

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  phemexBooks,
  phemexDerivativeTickers,
  phemexTrades,
} from '../../../src/exchange-adapters/own/phemex-normalizers.js';
import { LOCAL, read } from './messages.js';

const NANOS = 1669198853605814500;
const AT = { timestamp: 1669198853605814, micros: true, localTimestamp: LOCAL };

test("Phemex's spot markets and contracts have their own scales", () => {
  const trade = (symbol: string, fields: object): object => ({ symbol, type: 'incremental', ...fields });
  const priceOf = (message: object) =>
    (read(phemexTrades(), message) as readonly { symbol: string; price: number; amount: number }[]).map(
      ({ symbol, price, amount }) => [symbol, price, amount],
    );
  const scaled = { trades: [[NANOS, 'Buy', 24025000000, 10576000]] };
  assert.deepEqual(priceOf(trade('sETHUSDT', scaled)), [['SETHUSDT', 240.25, 0.10576]]);
  assert.deepEqual(priceOf(trade('LINKUSD', { trades: [[NANOS, 'Buy', 20210, 56]] })), [
    ['LINKUSD', 2.021, 56],
  ]);
  const linear = { trades_p: [[NANOS, 'Sell', '16545.6', '0.7']] };
  assert.deepEqual(read(phemexTrades(), trade('BTCUSDT', linear)), [
    { type: 'trade', symbol: 'BTCUSDT', price: 16545.6, amount: 0.7, side: 'sell', ...AT },
  ]);
  assert.deepEqual(priceOf({ ...trade('BTCUSDT', linear), type: 'snapshot' }), []);
  assert.deepEqual(priceOf({ error: null, id: 1, result: { status: 'success' } }), []);
});

test("a spot market with the name of one of Phemex's perpetuals is left out", () => {
  const book = (symbol: string, key: string, levels: unknown): object => ({
    [key]: { asks: [], bids: [levels] },
    symbol,
    timestamp: NANOS,
    type: 'snapshot',
  });
  const spot = book('sOLUSDT', 'book', [1238000, 10000000000]);
  assert.deepEqual(read(phemexBooks(), spot), []);
  assert.deepEqual(read(phemexTrades(), { symbol: 'sOLUSDT', type: 'incremental', trades: [] }), []);
  const record = { type: 'book_change', symbol: 'SOLUSDT', isSnapshot: true, asks: [], ...AT };
  assert.deepEqual(read(phemexBooks(), book('SOLUSDT', 'orderbook_p', ['13.2', '4'])), [
    { ...record, bids: [{ price: 13.2, amount: 4 }] },
  ]);
});

test("Phemex's symbols in upper case are requested in the exchange's case and channel", () => {
  const filters = (...symbols: string[]) =>
    phemexTrades()
      .filters(symbols)
      .flatMap(({ channel, symbols = [] }) => symbols.map((symbol) => `${channel} ${symbol}`));
  assert.deepEqual(filters('SBTCUSDT', 'sBTCUSDT', 'SOLUSDT', 'SPKUSDT', 'SSOLUSDT'), [
    'trades_p SOLUSDT',
    'trades_p SPKUSDT',
    'trades sBTCUSDT',
    'trades sBTCUSDT',
    'trades sSOLUSDT',
  ]);
  assert.deepEqual(filters('BTCUSD', 'BTCUSDT', 'BTCUSDC', 'BTCUSDH25', 'SUIUSD'), [
    'trades_p BTCUSDT',
    'trades_p BTCUSDC',
    'trades BTCUSD',
    'trades BTCUSDH25',
    'trades SUIUSD',
  ]);
  assert.deepEqual(filters('SIRENPUSD', 'sIRENPUSD', 'U100PEPEUSD', 'CETHUSD'), [
    'trades_p SIRENPUSD',
    'trades sIRENPUSD',
    'trades u100PEPEUSD',
    'trades cETHUSD',
  ]);
  assert.deepEqual(phemexBooks().filters(undefined), [{ channel: 'book' }, { channel: 'orderbook_p' }]);
});

test("Phemex's derivative tickers are scaled, or rows of text", () => {
  const scaled = {
    market24h: {
      symbol: 'BTCUSD',
      close: 58820000,
      fundingRate: -39075,
      indexPrice: 58981349,
      markPrice: 58958348,
      openInterest: 10113855,
      predFundingRate: -260708,
    },
    timestamp: NANOS,
  };
  const row = [
    'SOLUSDT',
    '11',
    '13',
    '10',
    '13.029',
    '10445',
    '127687',
    '0',
    '13.0306',
    '13.0315',
    '0.0001',
    '',
  ];
  const packed = { data: [row], method: 'perp_market24h_pack_p.update', timestamp: NANOS };
  const tickers = phemexDerivativeTickers();
  assert.deepEqual(read(tickers, scaled), [
    {
      type: 'derivative_ticker',
      symbol: 'BTCUSD',
      lastPrice: 5882,
      openInterest: 10113855,
      fundingRate: -0.00039075,
      predictedFundingRate: -0.00260708,
      indexPrice: 5898.1349,
      markPrice: 5895.8348,
      ...AT,
    },
  ]);
  assert.deepEqual(read(tickers, packed), [
    {
      type: 'derivative_ticker',
      symbol: 'SOLUSDT',
      lastPrice: 13.029,
      openInterest: 0,
      fundingRate: 0.0001,
      indexPrice: 13.0306,
      markPrice: 13.0315,
      ...AT,
    },
  ]);
  assert.deepEqual(read(tickers, packed), []);
});
