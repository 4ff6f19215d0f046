import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parseDay } from '../../../src/dataset/day.js';
import type { KeyAccess } from '../../../src/service/key/key-access.js';
import { createCoverageTest, fetchKeyCoverage } from '../../../src/service/key/key-coverage.js';
import { clientFor, serve } from '../loopback.js';

const file = (exchange: string, symbol: string, day: string) => ({
  exchange,
  symbol,
  dataType: 'trades',
  day: parseDay(day),
});

const INFO: readonly KeyAccess[] = [
  { exchange: 'deribit', from: '2024-01-01T00:00:00.000Z', to: '2024-03-01T00:00:00.000Z', symbols: [] },
  {
    exchange: 'binance',
    from: '2024-01-01T12:00:00Z',
    to: '2024-01-05T12:00:00Z',
    symbols: ['btcusdt', 'eth/usdt'],
  },
  { exchange: 'bitmex', from: null, symbols: null },
  { exchange: 'okex', from: 'soon', to: '' },
];

for (const [exchange, symbol, day, expected] of [
  ['deribit', 'BTC-PERPETUAL', '2024-01-01', true],
  ['deribit', 'BTC-PERPETUAL', '2023-12-31', false],
  ['deribit', 'BTC-PERPETUAL', '2024-02-29', true],
  ['deribit', 'BTC-PERPETUAL', '2024-03-01', false],
  ['binance', 'BTCUSDT', '2024-01-01', true],
  ['binance', 'BTCUSDT', '2024-01-05', true],
  ['binance', 'BTCUSDT', '2024-01-06', false],
  ['binance', 'ETH-USDT', '2024-01-03', true],
  ['binance', 'SOLUSDT', '2024-01-03', false],
  ['binance', 'SPOT', '2024-01-03', true],
  ['bitmex', 'XBTUSD', '2014-01-03', true],
  ['okex', 'X', '2014-01-03', true],
  ['kraken', 'XBT', '2024-01-03', false],
] as const) {
  test(`${exchange} ${symbol} of ${day} is ${expected ? '' : 'not '}covered`, () => {
    assert.equal(createCoverageTest(INFO)(file(exchange, symbol, day)), expected);
  });
}

test('an expired key covers nothing', () => {
  assert.equal(createCoverageTest([])(file('deribit', 'X', '2024-01-01')), false);
});

const never = new AbortController().signal;

/** A key's reach, and what was warned of. */
async function reachOf(t: TestContext, base: string, apiKey?: string) {
  const warnings: string[] = [];
  const client = clientFor(t, base, apiKey === undefined ? {} : { apiKey });
  return { ...(await fetchKeyCoverage(client, never, (message) => warnings.push(message))), warnings };
}

test('without a key nobody is asked, and first days of months may be read', async (t) => {
  const base = await serve(t, () => assert.fail('asked'));
  const { canRequest, keyExpired } = await reachOf(t, base);
  assert.equal(keyExpired, false);
  assert.equal(canRequest(file('deribit', 'X', '2024-03-01')), true);
  assert.equal(canRequest(file('deribit', 'X', '2024-03-02')), false);
});

test('a key that covers nothing has expired, which is told without the key', async (t) => {
  const base = await serve(t, (_, response) => response.end('[]'));
  const { canRequest, keyExpired, warnings } = await reachOf(t, base, 'a-long-key');
  assert.deepEqual([keyExpired, canRequest(file('deribit', 'X', '2024-03-02'))], [true, false]);
  assert.deepEqual(warnings, ['the API key …-key has expired, and covers nothing: renew it, or set another']);
});

test('with a key, what it covers and first days of months may be read', async (t) => {
  const base = await serve(t, (request, response) => {
    assert.deepEqual([request.url, request.headers.authorization], ['/v1/api-key-info', 'Bearer a-key']);
    response.end(JSON.stringify(INFO));
  });
  const { canRequest, warnings } = await reachOf(t, base, 'a-key');
  assert.deepEqual(warnings, []);
  assert.equal(canRequest(file('deribit', 'X', '2024-02-29')), true);
  assert.equal(canRequest(file('deribit', 'X', '2024-03-02')), false);
  assert.equal(canRequest(file('deribit', 'X', '2024-04-01')), true);
});

for (const [title, status, text] of [
  ['without the call', 404, '{}'],
  ['in trouble', 503, ''],
  ['with an odd answer', 200, '{"exchanges":[]}'],
  ['that refuses the key', 401, '{"code":11}'],
] as const) {
  test(`a service ${title} is no obstacle`, async (t) => {
    let asked = 0;
    const base = await serve(t, (_, response) => {
      asked++;
      response.writeHead(status).end(text);
    });
    const { canRequest, keyExpired, warnings } = await reachOf(t, base, 'a-key');
    assert.deepEqual([keyExpired, warnings], [false, []]);
    assert.equal(canRequest(file('any', 'X', '2024-03-02')), true);
    assert.equal(asked, 1);
  });
}

test('an abort is an abort', async (t) => {
  const base = await serve(t, () => undefined);
  const stop = new AbortController();
  const pending = fetchKeyCoverage(clientFor(t, base, { apiKey: 'a-key' }), stop.signal, () => {});
  stop.abort();
  await assert.rejects(pending, { code: 'interrupted' });
});
