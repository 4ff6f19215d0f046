import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { listen } from '../service/loopback.js';
import { loopbackExchange, type Peer } from './exchange.js';
import { option, startStream } from './streaming.js';

// Channels of WOO X: cspell:ignore orderbookupdate

test("joins WOO X's HTTP book snapshot with the changes before it, and answers its pings", async (t) => {
  const requests: unknown[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    const data = { bids: [{ price: '1', quantity: '2' }], asks: [{ price: '3', quantity: '4' }] };
    response.end(JSON.stringify({ success: true, timestamp: 200, data }));
  });
  const received: unknown[] = [];
  const exchange = await loopbackExchange(t, {
    async play(peer) {
      received.push(await peer.nextMessage());
      peer.send({ cmd: 'PING', ts: 1 });
      received.push(await peer.nextMessage());
      const change = (prevTs: number, ts: number): object => ({
        topic: 'orderbookupdate@PERP_ETH_USDT@50',
        ts,
        data: { s: 'PERP_ETH_USDT', prevTs, ts, bids: [['1', String(ts)]], asks: [] },
      });
      peer.send(change(100, 150));
      peer.send(change(200, 250));
    },
  });
  const stream = startStream(t, [option('woo-x', ['perp_eth_usdt'], 'book_change')], {
    WSS_URL_WOO_X: exchange.url,
    REST_URL_WOO_X: await listen(t, server),
  });
  await stream.waitForLines(2);
  assert.deepEqual(received, [
    { id: 'orderbookupdate', cmd: 'subscribe', params: ['orderbookupdate@PERP_ETH_USDT@50'] },
    { cmd: 'PONG' },
  ]);
  assert.deepEqual(requests, ['/v3/public/orderbook?symbol=PERP_ETH_USDT&maxLevel=50']);
  assert.deepEqual(
    stream.lines.map(({ isSnapshot, bids, asks }) => [isSnapshot, bids, asks]),
    [
      [true, [{ price: 1, amount: 2 }], [{ price: 3, amount: 4 }]],
      [false, [{ price: 1, amount: 250 }], []],
    ],
  );
});

test('a refused book of WOO X ends the connection', async (t) => {
  const server = createServer((_, response) => response.end('{"success":false,"code":-1}'));
  const exchange = await loopbackExchange(t, { play: (peer) => peer.send({ success: true }) });
  const stream = startStream(t, [option('woo-x', ['PERP_ETH_USDT'], 'book_change')], {
    WSS_URL_WOO_X: exchange.url,
    REST_URL_WOO_X: await listen(t, server),
  });
  const event = await stream.waitForEvent('disconnect');
  assert.equal(event.event === 'disconnect' && event.error.message, 'woo-x: no order book of PERP_ETH_USDT');
});

test('a Gemini book begins with a snapshot on each connection, and garbage ends one', async (t) => {
  const received: unknown[] = [];
  const exchange = await loopbackExchange(t, {
    async play(peer) {
      received.push(await peer.nextMessage());
      peer.send({ id: 1, status: 200 });
      const change = { e: 'depthUpdate', E: 1783981139947514400, s: 'btcusd', b: [['1', '2']], a: [] };
      peer.send(change);
      peer.send(change);
      if (peer.number === 1) peer.socket.send('garbage');
    },
  });
  const stream = startStream(t, [option('gemini', ['BTCUSD'], 'book_change')], {
    WSS_URL_GEMINI: exchange.url,
  });
  await stream.waitForLines(5);
  assert.deepEqual(received[0], { method: 'SUBSCRIBE', params: ['btcusd@depth@100ms'], id: 1 });
  assert.deepEqual(
    stream.lines.map(({ type, isSnapshot }) => isSnapshot ?? type),
    [true, false, 'disconnect', true, false],
  );
});

test('reads European options over one connection for symbols and one for underlying coins', async (t) => {
  const received: unknown[] = [];
  const peers: Peer[] = [];
  const exchange = await loopbackExchange(t, {
    async play(peer) {
      peers.push(peer);
      received.push(await peer.nextMessage());
      if (peers.length < 2) return;
      const E = 1_765_983_421_000;
      const item = { e: 'markPrice', E, s: 'BTC-251219-89000-C', mp: '1450.5' };
      peers[0]?.send({ stream: 'btcusdt@optionMarkPrice', data: [item] });
    },
  });
  const stream = startStream(
    t,
    [option('binance-european-options', ['BTC-251219-89000-C', 'BTC-251226-90000-P'], 'option_summary')],
    { WSS_URL_BINANCE_EUROPEAN_OPTIONS: exchange.url },
  );
  await stream.waitForLines(1);
  assert.equal(stream.lines[0]?.['markPrice'], 1450.5);
  assert.equal(received.length, 2);
});

test("reads Bitfinex's book tickers by channel id", async (t) => {
  const received: unknown[] = [];
  const exchange = await loopbackExchange(t, {
    async play(peer) {
      received.push(await peer.nextMessage(), await peer.nextMessage());
      peer.send({ event: 'subscribed', channel: 'ticker', chanId: 5, symbol: 'tBTCUSD', pair: 'BTCUSD' });
      peer.send([5, 'hb', 1, 1_633_910_436_000]);
      peer.send([5, [1, 2, 3, 4, 0, 0, 0, 0, 0, 0], 2, 1_633_910_436_166]);
    },
  });
  const stream = startStream(t, [option('bitfinex', ['BTCUSD'], 'book_ticker')], {
    WSS_URL_BITFINEX: exchange.url,
  });
  await stream.waitForLines(1);
  assert.deepEqual(received[1], { event: 'subscribe', channel: 'ticker', symbol: 'tBTCUSD' });
  assert.deepEqual([stream.lines[0]?.['bidPrice'], stream.lines[0]?.['askAmount']], [1, 4]);
});

test("asks Gate.io's futures for decimal sizes", async (t) => {
  const exchange = await loopbackExchange(t, {
    play(peer) {
      const result = { t: 1_774_443_214_909, s: 'ETH_USDT', b: '1', B: '0.5', a: '2', A: '0' };
      peer.send({ channel: 'futures.book_ticker', event: 'update', error: null, result });
    },
  });
  const stream = startStream(t, [option('gate-io-futures', ['ETH_USDT'], 'book_ticker')], {
    WSS_URL_GATE_IO_FUTURES: exchange.url,
  });
  await stream.waitForLines(1);
  assert.equal(exchange.peers[0]?.request.headers['x-gate-size-decimal'], '1');
  assert.equal(stream.lines[0]?.['bidAmount'], 0.5);
  assert.equal(stream.lines[0]?.['askAmount'], undefined);
});
