import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  buildAddress,
  type Draft,
  ENDPOINTS,
  type Endpoint,
  missingFields,
  readOrigins,
  splitLast,
  toggleName,
} from '../../../src/server/browser/form-requests.js';

const ORIGINS = readOrigins(new URL('http://localhost:8000'));

const FULL: Draft = {
  exchange: ' bitmex ',
  symbols: 'XBTUSD, ETHUSD',
  dataTypes: 'trade,book_snapshot_10_100ms',
  filters: 'trade: XBTUSD , ETHUSD\n\norderBookL2\nquote:',
  from: '2024-03-01',
  to: '2024-03-01T01:00',
  session: 'a b',
  timeoutIntervalMS: '0',
  withDisconnects: 'true',
  withDisconnectMessages: 'true',
  withErrorMessages: '',
};

function readOptions(endpoint: Endpoint, drafts: readonly Draft[]): unknown {
  return JSON.parse(new URL(buildAddress(endpoint, drafts, ORIGINS)).searchParams.get('options') ?? '');
}

test('an address has all options of its endpoint and no others', () => {
  const period = { from: '2024-03-01', to: '2024-03-01T01:00' };
  const names = { symbols: ['XBTUSD', 'ETHUSD'], dataTypes: ['trade', 'book_snapshot_10_100ms'] };
  assert.deepEqual(readOptions('/replay', [FULL]), {
    exchange: 'bitmex',
    filters: [
      { channel: 'trade', symbols: ['XBTUSD', 'ETHUSD'] },
      { channel: 'orderBookL2' },
      { channel: 'quote' },
    ],
    ...period,
    withDisconnects: true,
  });
  for (const endpoint of ['/replay-normalized', '/ws-replay-normalized'] as const) {
    const expected = { exchange: 'bitmex', ...names, ...period, withDisconnectMessages: true };
    assert.deepEqual(readOptions(endpoint, [FULL]), expected);
    assert.deepEqual(readOptions(endpoint, [FULL, { exchange: 'deribit' }]), [
      expected,
      { exchange: 'deribit' },
    ]);
  }
  assert.deepEqual(readOptions('/ws-stream-normalized', [FULL]), {
    exchange: 'bitmex',
    ...names,
    withDisconnectMessages: true,
    timeoutIntervalMS: 0,
  });
  assert.equal(
    buildAddress('/ws-replay', [FULL], ORIGINS),
    'ws://localhost:8001/ws-replay?exchange=bitmex&from=2024-03-01&to=2024-03-01T01%3A00&session=a%20b',
  );
});

test('any text can be decoded from the address', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (exchange) => {
      const expected = exchange.trim() === '' ? {} : { exchange: exchange.trim() };
      assert.deepEqual(readOptions('/replay', [{ exchange }]), expected);
    }),
  );
});

test('lists required fields that are empty in any draft', () => {
  assert.deepEqual(missingFields('/replay-normalized', [{}]), ['exchange', 'dataTypes', 'from', 'to']);
  assert.deepEqual(missingFields('/ws-stream-normalized', [{ exchange: 'bitmex', dataTypes: ', ' }]), [
    'dataTypes',
  ]);
  for (const endpoint of Object.keys(ENDPOINTS) as Endpoint[]) {
    assert.deepEqual(missingFields(endpoint, [FULL]), [], endpoint);
  }
  assert.deepEqual(missingFields('/ws-replay-normalized', [FULL, { ...FULL, to: ' ' }]), ['to']);
});

test('adds and removes a name', () => {
  assert.equal(toggleName('', 'trade'), 'trade');
  assert.equal(toggleName('quote,trade', 'trade'), 'quote');
  assert.equal(toggleName('quote  trade_bar_1m', 'trade'), 'quote, trade_bar_1m, trade');
});

test('splits a list before its last name', () => {
  assert.deepEqual(splitLast('XBTUSD, eth'), { before: 'XBTUSD, ', last: 'eth' });
  assert.deepEqual(splitLast('eth'), { before: '', last: 'eth' });
  assert.deepEqual(splitLast('eth,'), { before: 'eth,', last: '' });
});
