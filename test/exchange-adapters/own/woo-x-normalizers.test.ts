// Channels of the exchange: cspell:ignore orderbookupdate estfundingrate openinterest indexprice

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  wooXBooks,
  wooXBookTickers,
  wooXDerivativeTickers,
  wooXTrades,
} from '../../../src/exchange-adapters/own/woo-x-normalizers.js';
import { seededRandom } from '../../../src/sandbox/simulation/seeded-random.js';
import { AT_MS, MS, read, TIME } from './messages.js';

const ts = Number(MS);
const SYMBOL = 'PERP_ETH_USDT';
const message = (channel: string, data: object, symbol = SYMBOL): object => ({
  topic: `${channel}@${symbol}`,
  ts: ts + 3,
  data: { s: symbol, ts, ...data },
});

test("WOO X's trades leave out those of other exchanges", () => {
  const trade = (src: number, sd: string): object => message('trade', { px: '1622.8', sx: '0.09', sd, src });
  const common = { type: 'trade', symbol: SYMBOL, price: 1622.8, amount: 0.09 };
  assert.deepEqual(read(wooXTrades(), trade(1, 'SELL')), [{ ...common, side: 'sell', ...AT_MS }]);
  assert.deepEqual(read(wooXTrades(), trade(2, 'BUY')), [{ ...common, side: 'buy', ...AT_MS }]);
  assert.deepEqual(read(wooXTrades(), trade(0, 'BUY')), []);
  assert.deepEqual(read(wooXTrades(), { cmd: 'PING', ts }), []);
});

test("a missing side of WOO X's book ticker is absent, and 0 is a value", () => {
  assert.deepEqual(read(wooXBookTickers(), message('bbo', { bp: '1622.7', bq: '0', ap: '', aq: null })), [
    { type: 'book_ticker', symbol: SYMBOL, bidPrice: 1622.7, bidAmount: 0, ...AT_MS },
  ]);
});

const update = (prevTs: number, at: number, bids: unknown = []): object =>
  message('orderbookupdate', { prevTs, ts: at, bids, asks: [] }, SYMBOL);
const snapshot = (at: number | undefined, bids: unknown): object => ({
  topic: `orderbook@${SYMBOL}@50`,
  ts,
  generated: true,
  data: { ts: at, bids, asks: [] },
});

test("changes of WOO X's book wait for its snapshot, and those that it has are left out", () => {
  const books = wooXBooks();
  assert.deepEqual(read(books, update(ts - 200, ts - 100, [['1', '1']])), []);
  assert.deepEqual(read(books, update(ts, ts + 100, [['2', '1']])), []);
  assert.deepEqual(read(books, message('orderbook', { bids: [] })), []);
  const common = { type: 'book_change', symbol: SYMBOL, asks: [], micros: false };
  const local = AT_MS.localTimestamp;
  assert.deepEqual(read(books, snapshot(undefined, [{ price: '3', quantity: '4' }])), [
    { ...common, isSnapshot: true, bids: [{ price: 3, amount: 4 }], timestamp: TIME, localTimestamp: local },
    {
      ...common,
      isSnapshot: false,
      bids: [{ price: 2, amount: 1 }],
      timestamp: TIME + 100_000,
      localTimestamp: local,
    },
  ]);
  assert.deepEqual(read(books, update(ts - 1, ts + 200)), []);
  assert.equal(read(books, update(ts + 100, ts + 200)).length, 1);
  assert.deepEqual(read(books, message('orderbookupdate', { prevTs: ts }, 'SPOT_BTC_USDT')), []);
});

test("WOO X's book is that of its changes, whatever arrives before the snapshot", () => {
  const random = seededRandom('woo-x');
  for (let round = 0; round < 50; round++) {
    // The exchange's book after each change; the snapshot is one of these states.
    const state = new Map<string, string>();
    const changes = Array.from({ length: 30 }, (_, i) => {
      const level = [String(random.int(5)), String(random.int(3))] as const;
      if (level[1] === '0') state.delete(level[0]);
      else state.set(level[0], level[1]);
      return { message: update(ts + i, ts + i + 1, [level]), after: [...state] };
    });
    const at = random.int(30);
    const arrival = at + random.int(30 - at);
    const books = wooXBooks();
    const book = new Map<string, string>();
    const apply = (one: object): void => {
      for (const { isSnapshot, bids } of read(books, one) as readonly BidsChange[]) {
        if (isSnapshot) book.clear();
        for (const { price, amount } of bids) {
          if (amount === 0) book.delete(String(price));
          else book.set(String(price), String(amount));
        }
      }
    };
    changes.forEach((change, i) => {
      apply(change.message);
      if (i === arrival) apply(snapshot(ts + at + 1, changes[at]?.after));
    });
    assert.deepEqual([...book].sort(), [...state].sort(), `round ${round}`);
  }
});

interface BidsChange {
  readonly isSnapshot: boolean;
  readonly bids: readonly { readonly price: number; readonly amount: number }[];
}

test("WOO X's derivative tickers are of perpetuals, with the index of the spot market", () => {
  const tickers = wooXDerivativeTickers();
  const values = { type: 'derivative_ticker', symbol: SYMBOL };
  assert.deepEqual(read(tickers, message('indexprice', { px: '1622.5' }, 'SPOT_ETH_USDT')), []);
  assert.deepEqual(read(tickers, message('trade', { px: '5' }, 'SPOT_ETH_USDT')), []);
  assert.deepEqual(read(tickers, message('bbo', { bp: '5' })), []);
  assert.deepEqual(read(tickers, message('markprice', { px: '1622.9' })), [
    { ...values, indexPrice: 1622.5, markPrice: 1622.9, ...AT_MS },
  ]);
  assert.deepEqual(read(tickers, message('markprice', { px: '1622.9' })), []);
  const funding = message('estfundingrate', { r: '0.00001181', ft: ts + 1000 });
  const rate = { fundingRate: 0.00001181, fundingTimestamp: TIME + 1_000_000 };
  assert.deepEqual(read(tickers, funding), [
    { ...values, indexPrice: 1622.5, markPrice: 1622.9, ...rate, ...AT_MS },
  ]);
  assert.deepEqual(tickers.filters(['perp_eth_usdt']), [
    ...['trade', 'markprice', 'estfundingrate', 'openinterest'].map((channel) => ({
      channel,
      symbols: [SYMBOL],
    })),
    { channel: 'indexprice', symbols: ['SPOT_ETH_USDT'] },
  ]);
});
