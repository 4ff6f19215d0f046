import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { listen } from '../service/loopback.js';
import { loopbackExchange } from './exchange.js';
import { option, startStream } from './streaming.js';

interface Rest {
  readonly url: string;
  readonly asked: readonly string[];
}

async function restHost(
  t: TestContext,
  answer: (path: string, number: number) => object | number,
): Promise<Rest> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const body = answer(String(request.url), asked.length);
    if (typeof body === 'number') response.writeHead(body, { 'retry-after': '0' }).end();
    else response.end(JSON.stringify(body));
  });
  return { url: await listen(t, server), asked };
}

test("joins binance's HTTP book snapshot with its changes, and waits for a rate limit", async (t) => {
  const book = { lastUpdateId: 10, bids: [['100', '1']], asks: [['101', '2']] };
  const rest = await restHost(t, (_, number) => (number === 1 ? 429 : book));
  const change = (first: number, last: number) => ({
    stream: 'btcusdt@depth@100ms',
    data: {
      e: 'depthUpdate',
      E: 1_700_000_000_000,
      s: 'BTCUSDT',
      U: first,
      u: last,
      b: [['99', '3']],
      a: [],
    },
  });
  const asked: unknown[] = [];
  const exchange = await loopbackExchange(t, {
    async play(peer) {
      asked.push(await peer.nextMessage());
      peer.send({ result: null, id: 1 });
      peer.send(change(9, 12));
    },
  });
  const stream = startStream(t, [option('binance', ['BTCUSDT'], 'book_change')], {
    WSS_URL_BINANCE: exchange.url,
    REST_URL_BINANCE: rest.url,
  });
  await stream.waitForLines(1);
  exchange.peers[0]?.send(change(13, 14));
  await stream.waitForLines(2);
  assert.deepEqual(asked, [{ method: 'SUBSCRIBE', params: ['btcusdt@depth@100ms'], id: 1 }]);
  const path = 'GET /api/v3/depth?symbol=BTCUSDT&limit=1000';
  assert.deepEqual(rest.asked, [path, path]);
  const [snapshot, update] = stream.lines;
  assert.equal(snapshot?.['isSnapshot'], true);
  assert.deepEqual(snapshot?.['asks'], [{ price: 101, amount: 2 }]);
  assert.deepEqual(update?.['bids'], [{ price: 99, amount: 3 }]);
  assert.equal(update?.['isSnapshot'], false);
});

test('a refused book snapshot ends the connection', async (t) => {
  const rest = await restHost(t, () => 403);
  const exchange = await loopbackExchange(t, { play: (peer) => peer.send({ result: null, id: 1 }) });
  const stream = startStream(t, [option('binance', ['BTCUSDT'], 'book_change')], {
    WSS_URL_BINANCE: exchange.url,
    REST_URL_BINANCE: rest.url,
  });
  const event = await stream.waitForEvent('disconnect');
  assert.equal(event.event === 'disconnect' && event.error.code, 'no_access');
});

test("polls open interest and ignores its failures; requests kucoin's address", async (t) => {
  const rest = await restHost(t, (path, number) => {
    if (path.startsWith('/api/v1/bullet')) {
      return { data: { token: 'abc', instanceServers: [{ endpoint: `${kucoin.url}/feed` }] } };
    }
    return number === 2 ? 500 : { symbol: 'BTCUSDT', openInterest: '42', time: 1_700_000_000_000 };
  });
  const exchange = await loopbackExchange(t, { play: (peer) => peer.send({ result: null, id: 1 }) });
  const kucoin = await loopbackExchange(t, { play: (peer) => peer.send({ type: 'welcome' }) });
  const env = {
    WSS_URL_BINANCE_FUTURES: exchange.url,
    REST_URL_BINANCE_FUTURES: rest.url,
    REST_URL_KUCOIN: rest.url,
  };
  const options = [
    option('kucoin', ['BTC-USDT'], 'trade'),
    option('binance-futures', ['BTCUSDT'], 'derivative_ticker'),
  ];
  const stream = startStream(t, options, env);
  const ticker = await stream.waitForLine(({ type }) => type === 'derivative_ticker');
  assert.equal(ticker['openInterest'], 42);
  assert.ok(rest.asked.includes('POST /api/v1/bullet-public'));
  assert.match(String(kucoin.peers[0]?.request.url), /^\/feed\?token=abc/);
});

test('reads individually compressed messages, and answers pings in them', async (t) => {
  let answer: unknown;
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      const send = (message: object): void => peer.socket.send(gzipSync(JSON.stringify(message)));
      await peer.nextMessage();
      send({ ping: 5 });
      answer = await peer.nextMessage();
      // An id past 2^53, as the exchange writes it.
      const trade =
        '{"ch":"market.btcusdt.trade.detail","ts":1700000000000,"tick":{"id":1,"ts":1700000000000,"data":[{"id":100123456789012345678,"ts":1700000000000,"tradeId":7,"amount":1.5,"price":100,"direction":"buy"}]}}';
      peer.socket.send(gzipSync(trade));
    },
  });
  const stream = startStream(t, [option('huobi', ['BTCUSDT'], 'trade')], { WSS_URL_HUOBI: url });
  await stream.waitForLines(1);
  assert.deepEqual(answer, { pong: 5 });
  assert.equal(stream.lines[0]?.['price'], 100);
});
