import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { stream } from '../../src/index.js';
import { createMarketSender, loopbackExchange } from '../live/exchange.js';
import { errorOf, place } from './calls.js';

const TRADES = { exchange: 'bitmex:XBTUSD', types: 'trade' } as const;

/** An exchange that sends three trades to each client, set in the environment until the test ends. */
async function bitmex(t: TestContext): Promise<string> {
  const { dir } = await place(t);
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      const market = createMarketSender('bitmex', 'XBTUSD', peer);
      for (const price of [1, 2, 3]) market.trade(price);
    },
  });
  process.env['WSS_URL_BITMEX'] = url;
  return dir;
}

test('a reader that leaves ends a stream successfully, and so does a signal', async (t) => {
  const dir = await bitmex(t);
  const run = stream(TRADES);
  const prices: number[] = [];
  for await (const message of run) {
    if (message.type === 'trade') prices.push(message.price);
    if (prices.length === 2) break;
  }
  assert.deepEqual(prices, [1, 2]);
  assert.equal((await run).exitCode, 0);

  const controller = new AbortController();
  const ended = stream({ ...TRADES, signal: controller.signal });
  for await (const message of ended) {
    if (message.type === 'trade' && message.price === 3) controller.abort();
  }
  const summary = await ended;
  assert.deepEqual([summary.exitCode, summary.messages], [0, 3]);

  const out = join(dir, 'live.ndjson');
  const filed = await stream({ ...TRADES, out, for: '300ms' });
  assert.equal(filed.messages, (await readFile(out, 'utf8')).split('\n').length - 1);
});

test('errors have the names of the options', async (t) => {
  await place(t);
  const error = await errorOf(stream({ exchange: 'bitmex', types: [] as unknown as 'trade' }));
  assert.equal(error.code, 'usage');
  assert.match((await errorOf(stream({ ...TRADES, timeoutInterval: 'x' }))).message, /^timeoutInterval: "x"/);
});
