import assert from 'node:assert/strict';
import { test } from 'node:test';
import { okxDerivativeTickers } from '../../../src/exchange-adapters/own/okx-normalizers.js';
import { AT_LOCAL, AT_MS, LOCAL, MS, read, TIME } from './messages.js';

const message = (channel: string, item: object): object => ({
  arg: { channel, instId: 'any' },
  data: [{ instId: 'BTC-USDC-SWAP', ts: MS, ...item }],
});
const record = { type: 'derivative_ticker', symbol: 'BTC-USDC-SWAP' };

test("OKX's contracts in USDC have the index in USD at first, later that in USDC", () => {
  for (const currency of ['USD', 'USDC'] as const) {
    const tickers = okxDerivativeTickers(currency);
    read(tickers, message('index-tickers', { instId: 'BTC-USD', idxPx: '1' }));
    read(tickers, message('index-tickers', { instId: 'BTC-USDC', idxPx: '2' }));
    read(tickers, message('index-tickers', { instId: 'BTC-USDC', idxPx: '0' }));
    const indexPrice = currency === 'USD' ? 1 : 2;
    assert.deepEqual(read(tickers, message('tickers', { last: '5' })), [
      { ...record, lastPrice: 5, indexPrice, ...AT_MS },
    ]);
    const [, , , index] = tickers.filters(['btc-usdc-swap', 'BTC-USDC-240101']);
    assert.deepEqual(index, { channel: 'index-tickers', symbols: [`BTC-${currency}`] });
  }
});

test("OKX's expiring perpetuals have a funding rate, and the index of their currency", () => {
  const symbol = 'BTC-USD_UM_XPERP-310404';
  const tickers = okxDerivativeTickers('USDC');
  read(tickers, message('index-tickers', { instId: 'BTC-USD', idxPx: '64280' }));
  const funding = { instId: symbol, fundingRate: '-0.0004', fundingTime: MS, nextFundingRate: '' };
  assert.deepEqual(read(tickers, message('funding-rate', funding)), [
    { ...record, symbol, fundingRate: -0.0004, fundingTimestamp: TIME, indexPrice: 64280, ...AT_MS },
  ]);
});

test('a value without a time keeps the last time, or has the local one', () => {
  const tickers = okxDerivativeTickers('USDC');
  const funding = (rate: string): object => message('funding-rate', { ts: undefined, fundingRate: rate });
  assert.deepEqual(read(tickers, funding('0.1')), [{ ...record, fundingRate: 0.1, ...AT_LOCAL }]);
  const later = okxDerivativeTickers('USDC');
  read(later, message('mark-price', { markPx: '7' }));
  assert.deepEqual(read(later, funding('0.2')), [{ ...record, fundingRate: 0.2, markPrice: 7, ...AT_MS }]);
  assert.deepEqual(read(later, message('open-interest', { oi: '0', ts: String(LOCAL) })), []);
  assert.deepEqual(read(later, { event: 'subscribe', arg: { channel: 'tickers' } }), []);
});
