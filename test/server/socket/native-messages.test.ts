import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FeedFilter } from '../../../src/service/feed-filter.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { createMarketSender, loopbackExchange } from '../../live/exchange.js';
import { serveHere, withOptions } from '../serving.js';
import { writeCachedMinute } from './cached.js';
import { connectTo, hear } from './connecting.js';

/** A subscribe message of each exchange's clients, the filters that it means, and messages as recorded. */
const NATIVE: readonly (readonly [string, object, readonly FeedFilter[], readonly string[]])[] = [
  [
    'lighter',
    { type: 'subscribe', channel: 'order_book/1' },
    [{ channel: 'order_book', symbols: ['1'] }],
    [
      '{"type":"subscribed/order_book","channel":"order_book:1","order_book":{"bids":[],"nonce":10382292136}}',
      '{ "type": "update/order_book", "channel": "order_book:1", "order_book": {"nonce":12345678901234567890} }',
    ],
  ],
  [
    'bullish',
    { jsonrpc: '2.0', method: 'subscribe', params: { topic: 'l2Orderbook', symbol: 'BTCUSDC' }, id: '1' },
    [{ channel: 'V1TALevel2', symbols: ['BTCUSDC'] }],
    ['{"type":"snapshot","dataType":"V1TALevel2","data":{"bids":["94.5190","56.33894018"],"asks":[]}}'],
  ],
  [
    'polymarket',
    { type: 'market', assets_ids: ['50004092451487013519117521377876897159157506656261391593572775546'] },
    ['book', 'last_trade_price', 'price_change', 'tick_size_change'].map((channel) => ({
      channel,
      symbols: ['50004092451487013519117521377876897159157506656261391593572775546'],
    })),
    ['[{"event_type":"book","bids":[]},{"event_type":"book"}]', '{"event_type":"price_change"}'],
  ],
  [
    'mexc',
    {
      method: 'SUBSCRIPTION',
      params: ['deals', 'depth'].map((name) => `spot@public.aggre.${name}.v3.api.pb@10ms@BTCUSDT`),
    },
    ['deals', 'depth'].map((name) => ({
      channel: `spot@public.aggre.${name}.v3.api.pb@10ms`,
      symbols: ['BTCUSDT'],
    })),
    ['{"channel":"spot@public.aggre.deals.v3.api.pb@10ms@BTCUSDT"}', '{"publicAggreDepths":{}}'],
  ],
];

for (const [exchange, message, filters, recorded] of NATIVE) {
  test(`/ws-replay understands clients of ${exchange}, and sends its own messages unchanged`, async (t) => {
    const dir = await tempDir(t);
    const lines = recorded.map((text, i) => `2024-03-01T00:00:0${i}.0000000Z ${text}\n`);
    await writeCachedMinute(join(dir, 'cache'), exchange, filters, lines.join(''));
    const server = await serveHere(t, await sandbox(t), dir, { feeds: { offline: true } });
    const minute = `/ws-replay?exchange=${exchange}&from=2024-03-01&to=2024-03-01T00:01:00.000Z`;
    const { messages, code, reason } = await hear(server, minute, [JSON.stringify(message)]);
    assert.deepEqual([code, reason], [1000, 'WS replay finished']);
    assert.deepEqual(messages, recorded);
    assert.deepEqual(server.warnings, []);
  });
}

test('/ws-replay-normalized and /ws-stream-normalized have the messages of lighter', async (t) => {
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      createMarketSender('lighter', '1', peer).trade(7);
    },
  });
  const service = await sandbox(t, { rows: 20_000 });
  const server = await serveHere(t, service, await tempDir(t), { env: { WSS_URL_LIGHTER: url } });
  const options = { exchange: 'lighter', symbols: ['1'], dataTypes: ['trade', 'book_change'] };
  const period = { from: '2024-03-01', to: '2024-03-01T00:10:00.000Z' };
  const { messages, code } = await hear(
    server,
    withOptions('/ws-replay-normalized', { ...options, ...period }),
  );
  assert.equal(code, 1000);
  assert.match(
    messages[0] ?? '',
    /^\{"type":"book_change","symbol":"1","exchange":"lighter","isSnapshot":true,/,
  );
  assert.ok(messages.some((text) => text.startsWith('{"type":"trade","symbol":"1","exchange":"lighter"')));
  await new Promise<void>((resolve) => {
    const path = withOptions('/ws-stream-normalized', options);
    const { socket } = connectTo(server, path, [], (text) => {
      assert.match(text, /^\{"type":"trade","symbol":"1","exchange":"lighter",.*"price":7,/);
      socket.terminate();
      resolve();
    });
  });
});
