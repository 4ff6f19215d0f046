import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeMessageSupport } from '../../src/dialects/message-support.js';
import { OWN_ERAS } from '../../src/dialects/own/normalizer-eras.js';
import { UNSUPPORTED_MESSAGES } from '../../src/dialects/unsupported-messages.js';

const BOTH = { feeds: true, live: true };

/** Without absent fields. */
async function supportOf(exchange: string): Promise<unknown> {
  return JSON.parse(JSON.stringify(await describeMessageSupport(exchange)));
}

test('tells by type what feeds and live streams can do', async () => {
  assert.deepEqual(await supportOf('mexc'), { trade: BOTH, book_change: BOTH, book_ticker: BOTH });
  assert.deepEqual(await supportOf('mexc-futures'), {
    trade: BOTH,
    book_change: BOTH,
    derivative_ticker: BOTH,
  });
  assert.deepEqual(await supportOf('aster'), { trade: BOTH, book_change: BOTH, book_ticker: BOTH });
  assert.deepEqual(Object.keys(await describeMessageSupport('aster-futures')), [
    'trade',
    'book_change',
    'derivative_ticker',
    'liquidation',
    'book_ticker',
  ]);
  assert.deepEqual(await supportOf('kraken'), { trade: BOTH, book_change: BOTH, book_ticker: BOTH });
  const { trade } = await describeMessageSupport('coinbase-international');
  assert.deepEqual([trade?.feeds, trade?.live], [true, false]);
  for (const exchange of ['nowhere', 'constructor', '__proto__']) {
    assert.deepEqual(await supportOf(exchange), {}, exchange);
  }
});

test('a type that is refused from a day on ends there, and one that only tickhaul reads begins with its era', async () => {
  for (const { exchange, types, from } of UNSUPPORTED_MESSAGES) {
    const support = await describeMessageSupport(exchange);
    const messages = support[types?.[0] ?? 'trade'];
    const isRefused = UNSUPPORTED_MESSAGES.some((row) => row.exchange === exchange && row.from === undefined);
    if (from !== undefined && !isRefused) assert.equal(messages?.until, from, exchange);
    assert.notEqual(messages?.live, true, exchange);
  }
  for (const [exchange, eras] of Object.entries(OWN_ERAS)) {
    const support = await describeMessageSupport(exchange);
    for (const type of eras.flatMap(({ normalizers }) => Object.keys(normalizers))) {
      assert.equal(support[type as keyof typeof support]?.feeds, true, `${exchange} ${type}`);
    }
  }
});
