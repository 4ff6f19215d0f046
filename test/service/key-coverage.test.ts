import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parseDay } from '../../src/day-files/day.js';
import {
  createCoverageTest,
  fetchKeyCoverage,
  fetchKeyInfo,
  type KeyAccess,
} from '../../src/service/key-coverage.js';
import { clientFor, serve } from './loopback.js';

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

test('an expired key covers no file', () => {
  assert.equal(createCoverageTest([])(file('deribit', 'X', '2024-01-01')), false);
});

const never = new AbortController().signal;

/** Fetches the coverage of a key and collects the warnings. */
async function readCoverage(t: TestContext, base: string, apiKey?: string) {
  const warnings: string[] = [];
  const client = clientFor(t, base, apiKey === undefined ? {} : { apiKey });
  return { ...(await fetchKeyCoverage(client, never, (message) => warnings.push(message))), warnings };
}

test('without a key, sends no request and allows first days of months', async (t) => {
  const base = await serve(t, () => assert.fail('unexpected request'));
  const { canRequest, keyProblem } = await readCoverage(t, base);
  assert.equal(keyProblem, 'missing');
  assert.equal(canRequest(file('deribit', 'X', '2024-03-01')), true);
  assert.equal(canRequest(file('deribit', 'X', '2024-03-02')), false);
});

test('an empty key info means an expired key, and the warning does not contain the key', async (t) => {
  const base = await serve(t, (_, response) => response.end('[]'));
  const { canRequest, keyProblem, warnings } = await readCoverage(t, base, 'a-long-key');
  assert.deepEqual([keyProblem, canRequest(file('deribit', 'X', '2024-03-02'))], ['expired', false]);
  assert.deepEqual(warnings, ['the API key …-key has expired; renew it or set another']);
});

test('with a key, allows the files it covers and first days of months', async (t) => {
  const base = await serve(t, (request, response) => {
    assert.deepEqual([request.url, request.headers.authorization], ['/v1/api-key-info', 'Bearer a-key']);
    response.end(JSON.stringify(INFO));
  });
  const { canRequest, warnings } = await readCoverage(t, base, 'a-key');
  assert.deepEqual(warnings, []);
  assert.equal(canRequest(file('deribit', 'X', '2024-02-29')), true);
  assert.equal(canRequest(file('deribit', 'X', '2024-03-02')), false);
  assert.equal(canRequest(file('deribit', 'X', '2024-04-01')), true);
});

for (const [title, status, text] of [
  ['without the call', 404, '{}'],
  ['with a server error', 503, ''],
  ['with an invalid response', 200, '{"exchanges":[]}'],
  ['that refuses the key', 401, '{"code":11}'],
] as const) {
  test(`all files count as covered by a service ${title}`, async (t) => {
    let requests = 0;
    const base = await serve(t, (_, response) => {
      requests++;
      response.writeHead(status).end(text);
    });
    const { canRequest, keyProblem, warnings } = await readCoverage(t, base, 'a-key');
    assert.deepEqual([keyProblem, warnings], [undefined, []]);
    assert.equal(canRequest(file('any', 'X', '2024-03-02')), true);
    assert.equal(requests, 1);
  });
}

test('an abort ends the call with its reason', async (t) => {
  const base = await serve(t, () => undefined);
  const stop = new AbortController();
  const pending = fetchKeyCoverage(clientFor(t, base, { apiKey: 'a-key' }), stop.signal, () => {});
  stop.abort();
  await assert.rejects(pending, { code: 'interrupted' });
});

test('aborts a response that arrives too slowly', async (t) => {
  const base = await serve(t, (_, response) => {
    response.write('[');
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  });
  const client = clientFor(t, base, { apiKey: 'a-key', stallTimeoutMs: 200 });
  await assert.rejects(fetchKeyInfo(client, { tries: 1 }), {
    code: 'stalled',
    message: /api-key-info: response not complete within 0\.2s/,
  });
});

test('accepts null in optional fields', async (t) => {
  const access = [
    { exchange: 'deribit', accessType: null, from: null, to: null, symbols: null, dataPlan: null },
  ];
  const base = await serve(t, (_, response) => response.end(JSON.stringify(access)));
  assert.deepEqual(await fetchKeyInfo(clientFor(t, base, { apiKey: 'a-key' })), access);
});
