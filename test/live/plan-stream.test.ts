import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { LiveEvent } from '../../src/live/live-options.js';
import { planStream } from '../../src/live/stream-live.js';
import { tempDir } from '../helpers/temp.js';
import { clientFor, serve } from '../service/loopback.js';
import { option } from './streaming.js';

/** A service with one exchange with this number of active symbols, and an unreachable one. */
async function metadataOf(t: TestContext, exchange: string, active: readonly string[]) {
  const asked: string[] = [];
  const symbols = [...active.map((id) => ({ id })), { id: 'GONE', availableTo: '2020-01-01T00:00:00.000Z' }];
  const base = await serve(t, (request, response) => {
    asked.push(String(request.url));
    response.end(JSON.stringify({ id: exchange, availableSymbols: symbols }));
  });
  const events: LiveEvent[] = [];
  const tell = (event: LiveEvent): void => void events.push(event);
  const cache = await tempDir(t);
  return { asked, events, input: { client: clientFor(t, base), metadata: { cache }, emit: tell } };
}

test("without symbols selects the record's active ones, if one connection supports them", async (t) => {
  const few = await metadataOf(t, 'deribit', ['BTC-PERPETUAL', 'ETH-PERPETUAL']);
  const { filters } = await planStream(option('deribit', [], 'trade'), few.input);
  assert.deepEqual(filters, [{ channel: 'trades', symbols: ['BTC-PERPETUAL', 'ETH-PERPETUAL'] }]);
  const many = await metadataOf(
    t,
    'deribit',
    Array.from({ length: 300 }, (_, i) => `S${i}`),
  );
  await planStream(option('deribit', [], 'trade'), many.input);
  await assert.rejects(
    planStream(option('deribit', [], 'trade,book_change'), many.input),
    /^TickhaulError: deribit has 300 active symbols, but one connection supports 250 for these types; list some, such as deribit:S0,S1$/,
  );
});

test('subscribes to whole channels without a record if the exchange supports that', async (t) => {
  const { asked, input } = await metadataOf(t, 'bitmex', ['XBTUSD']);
  const { filters } = await planStream(option('bitmex', [], 'trade'), input);
  assert.deepEqual([filters, asked], [[{ channel: 'trade' }], []]);
});

test('warns of a symbol that the stored record lacks, without a request', async (t) => {
  const { asked, events, input } = await metadataOf(t, 'deribit', ['BTC-PERPETUAL']);
  await planStream(option('deribit', ['BTC-PERPETUL'], 'trade'), input);
  assert.deepEqual([asked, events], [[], []]);
  await planStream(option('deribit', [], 'trade'), input);
  await planStream(option('deribit', ['btc-perpetual', 'BTC-PERPETUL'], 'trade'), input);
  const message = 'the record of deribit does not list BTC-PERPETUL; did you mean BTC-PERPETUAL?';
  assert.deepEqual(events, [{ event: 'warning', message }]);
});

test('skips a type that the exchange lacks with a warning', async (t) => {
  const { events, input } = await metadataOf(t, 'binance', ['BTCUSDT']);
  await planStream(option('binance', ['BTCUSDT'], 'trade,option_summary'), input);
  const message = 'binance has no option_summary messages; skipping them';
  assert.deepEqual(events, [{ event: 'warning', message }]);
});

test('reports an unknown exchange as unknown, not as one without the type', async (t) => {
  const base = await serve(t, (request, response) => {
    if (request.url !== '/v1/exchanges') response.statusCode = 404;
    response.end(JSON.stringify([{ id: 'bitmex' }]));
  });
  const input = { client: clientFor(t, base), metadata: {}, emit: () => {} };
  await assert.rejects(
    planStream(option('bitmx', ['XBTUSD'], 'trade'), input),
    /^TickhaulError: unknown exchange "bitmx"; did you mean bitmex\?$/,
  );
});
