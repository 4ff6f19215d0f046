import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMarketSender, loopbackExchange, type Peer } from './exchange.js';
import { option, startStream } from './streaming.js';

/** Exchanges that the vendor's package does not know, played on loopback. */

const typesOf = (lines: readonly { readonly type: string }[]): readonly string[] =>
  lines.map(({ type }) => type);

test('lighter answers pings, and its messages are normalized', async (t) => {
  const heard: unknown[] = [];
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      peer.send({ session_id: 'x', type: 'connected' });
      for (let i = 0; i < 3; i++) heard.push(await peer.nextMessage());
      peer.send({ type: 'ping' });
      heard.push(await peer.nextMessage());
      const market = createMarketSender('lighter', '1', peer);
      market.book(true, 100, 101);
      market.book(false, 99, 102);
      market.trade(7);
    },
  });
  const types = 'trade,book_change,book_ticker';
  const stream = startStream(t, [option('lighter', ['1'], types)], { WSS_URL_LIGHTER: url });
  await stream.waitForLines(3);
  assert.deepEqual(heard, [
    ...['trade/1', 'order_book/1', 'ticker/1'].map((channel) => ({ type: 'subscribe', channel })),
    { type: 'pong' },
  ]);
  assert.deepEqual(
    stream.lines.map(({ type, isSnapshot }) => isSnapshot ?? type),
    [true, false, 'trade'],
  );
});

test('bullish has a connection for each kind of data, below an address that replaces its own', async (t) => {
  const data = (kind: string, dataType: string, fields: object): object => ({
    type: kind,
    dataType,
    data: { symbol: 'BTC-USDC-PERP', ...fields },
  });
  const answers: Readonly<Record<string, (peer: Peer) => void>> = {
    '/x/trading-api/v1/market-data/trades': ({ send }) =>
      send(
        data('update', 'V1TAAnonymousTradeUpdate', {
          trades: [{ symbol: 'BTC-USDC-PERP', tradeId: '7', price: '100', quantity: '1', side: 'BUY' }],
        }),
      ),
    '/x/trading-api/v1/market-data/orderbook': ({ send }) =>
      send(data('snapshot', 'V1TALevel2', { bids: ['99', '1'], asks: [], sequenceNumberRange: [5, 5] })),
    '/x/trading-api/v1/market-data/tick': ({ send }) =>
      send(data('snapshot', 'V1TATickerResponse', { last: '98', markPrice: '98.5' })),
    '/x/trading-api/v1/index-data': ({ send }) =>
      send({ type: 'snapshot', dataType: 'V1TAIndexPrice', data: { assetSymbol: 'BTC', price: '97' } }),
  };
  const paths: string[] = [];
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      const { url: path = '' } = peer.request;
      paths.push(path);
      const { id } = (await peer.nextMessage()) as { readonly id: string };
      peer.send({ jsonrpc: '2.0', id, result: { responseCode: '200', message: 'Successfully subscribed' } });
      peer.send({ type: 'update', dataType: 'V1TAHeartbeat', data: {} });
      answers[path]?.(peer);
    },
  });
  const types = 'trade,book_change,derivative_ticker';
  const options = [option('bullish', ['BTC-USDC-PERP'], types)];
  const stream = startStream(t, options, { WSS_URL_BULLISH: `${url}/x/` });
  await stream.waitForLines(3);
  assert.deepEqual(paths.sort(), Object.keys(answers).sort());
  assert.deepEqual([...typesOf(stream.lines)].sort(), ['book_change', 'derivative_ticker', 'trade']);
});

test('polymarket gets its pings as plain text, and its answers are no messages', async (t) => {
  const heard: unknown[] = [];
  const { url, peers } = await loopbackExchange(t, {
    async play(peer) {
      heard.push(await peer.nextMessage());
      const event = { asset_id: '7', timestamp: '1778480069765' };
      peer.send([{ ...event, event_type: 'book', bids: [], asks: [{ price: '0.9', size: '5' }] }]);
      heard.push(await peer.nextMessage());
      peer.socket.send('PONG');
      peer.send({ ...event, event_type: 'last_trade_price', price: '0.9', size: '1', side: 'BUY' });
    },
  });
  const options = [option('polymarket', ['7'], 'trade,book_change')];
  const stream = startStream(t, options, { WSS_URL_POLYMARKET: url });
  await stream.waitForLines(2);
  const subscribed = { type: 'market', assets_ids: ['7'], initial_dump: true, level: 2 };
  assert.deepEqual(heard, [{ ...subscribed, custom_feature_enabled: true }, 'PING']);
  assert.deepEqual(typesOf(stream.lines), ['book_change', 'trade']);
  assert.equal(peers.length, 1);
  assert.deepEqual(stream.events, []);
});
