import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addressOf,
  type Draft,
  ENDPOINTS,
  type Endpoint,
  missingFields,
  originsOf,
} from '../../../../src/server/page/browser/build/address.js';
import { splitLast, toggleName } from '../../../../src/server/page/browser/names.js';

const ORIGINS = originsOf(new URL('http://localhost:8000'));

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

function optionsIn(endpoint: Endpoint, drafts: readonly Draft[]): unknown {
  return JSON.parse(new URL(addressOf(endpoint, drafts, ORIGINS)).searchParams.get('options') ?? '');
}

test('an address has all options of its endpoint, and none of another', () => {
  const period = { from: '2024-03-01', to: '2024-03-01T01:00' };
  const names = { symbols: ['XBTUSD', 'ETHUSD'], dataTypes: ['trade', 'book_snapshot_10_100ms'] };
  assert.deepEqual(optionsIn('/replay', [FULL]), {
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
    const wanted = { exchange: 'bitmex', ...names, ...period, withDisconnectMessages: true };
    assert.deepEqual(optionsIn(endpoint, [FULL]), wanted);
    assert.deepEqual(optionsIn(endpoint, [FULL, { exchange: 'deribit' }]), [wanted, { exchange: 'deribit' }]);
  }
  assert.deepEqual(optionsIn('/ws-stream-normalized', [FULL]), {
    exchange: 'bitmex',
    ...names,
    withDisconnectMessages: true,
    timeoutIntervalMS: 0,
  });
  assert.equal(
    addressOf('/ws-replay', [FULL], ORIGINS),
    'ws://localhost:8001/ws-replay?exchange=bitmex&from=2024-03-01&to=2024-03-01T01%3A00&session=a%20b',
  );
});

test('whatever is typed comes back from the address as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (exchange) => {
      const expected = exchange.trim() === '' ? {} : { exchange: exchange.trim() };
      assert.deepEqual(optionsIn('/replay', [{ exchange }]), expected);
    }),
  );
});

test('what is still needed is named, in whichever of the drafts', () => {
  assert.deepEqual(missingFields('/replay-normalized', [{}]), ['exchange', 'dataTypes', 'from', 'to']);
  assert.deepEqual(missingFields('/ws-stream-normalized', [{ exchange: 'bitmex', dataTypes: ', ' }]), [
    'dataTypes',
  ]);
  for (const endpoint of Object.keys(ENDPOINTS) as Endpoint[]) {
    assert.deepEqual(missingFields(endpoint, [FULL]), [], endpoint);
  }
  assert.deepEqual(missingFields('/ws-replay-normalized', [FULL, { ...FULL, to: ' ' }]), ['to']);
});

test('a name is put in, and taken out', () => {
  assert.equal(toggleName('', 'trade'), 'trade');
  assert.equal(toggleName('quote,trade', 'trade'), 'quote');
  assert.equal(toggleName('quote  trade_bar_1m', 'trade'), 'quote, trade_bar_1m, trade');
});

test('of several names the last is being typed', () => {
  assert.deepEqual(splitLast('XBTUSD, eth'), { before: 'XBTUSD, ', last: 'eth' });
  assert.deepEqual(splitLast('eth'), { before: '', last: 'eth' });
  assert.deepEqual(splitLast('eth,'), { before: 'eth,', last: '' });
});
