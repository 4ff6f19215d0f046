import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { dealsBody, depthBody, mexcFrame } from '../exchange-adapters/live-feeds/mexc-writer.js';
import { cleanUp } from '../helpers/clean-up.js';
import { listen } from '../service/loopback.js';
import { type LoopbackExchange, loopbackExchange, type Peer } from './exchange.js';
import { option, type Streaming, startStream } from './streaming.js';

const NOW = 1_781_337_091_703;

/** How to play an exchange. */
interface Market {
  readonly symbol: string;
  /** What a client sends for trades and books. */
  readonly asked: readonly object[];
  readonly paths: readonly string[];
  readonly book: (last: number, price: number) => object;
  readonly change: (first: number, last: number, previous: number, price: number) => object | Buffer;
  readonly trade: (price: number) => object | Buffer;
  readonly error: object;
}

function createAster(path: string): Market {
  return {
    symbol: 'BTCUSDT',
    asked: [
      { method: 'SUBSCRIBE', params: ['btcusdt@trade'], id: 1 },
      { method: 'SUBSCRIBE', params: ['btcusdt@depth@0ms'], id: 1 },
    ],
    paths: [`GET ${path}/depth?symbol=BTCUSDT&limit=1000`],
    book: (lastUpdateId, price) => ({ lastUpdateId, E: NOW, T: NOW, bids: [[`${price}`, '1']], asks: [] }),
    change: (U, u, pu, price) => ({
      stream: 'btcusdt@depth@0ms',
      data: { e: 'depthUpdate', E: NOW, T: NOW, s: 'BTCUSDT', U, u, pu, b: [[`${price}`, '2']], a: [] },
    }),
    trade: (price) => ({
      stream: 'btcusdt@trade',
      data: { e: 'trade', E: NOW, T: NOW, s: 'BTCUSDT', t: 1, p: `${price}`, q: '1', m: false },
    }),
    error: { error: { code: 2, msg: 'Invalid request' }, id: 1 },
  };
}

const MARKETS: Readonly<Record<string, Market>> = {
  aster: createAster('/api/v3'),
  'aster-futures': createAster('/fapi/v3'),
  mexc: {
    symbol: 'BTCUSDT',
    asked: [
      { method: 'SUBSCRIPTION', params: ['spot@public.aggre.deals.v3.api.pb@10ms@BTCUSDT'] },
      { method: 'SUBSCRIPTION', params: ['spot@public.aggre.depth.v3.api.pb@10ms@BTCUSDT'] },
    ],
    paths: ['GET /api/v3/depth?symbol=BTCUSDT&limit=5000'],
    book: (lastUpdateId, price) => ({ lastUpdateId, bids: [[`${price}`, '1']], asks: [], timestamp: NOW }),
    change: (first, last, _, price) =>
      mexcFrame('depth', 'BTCUSDT', NOW, depthBody(first, last, [[`${price}`, '2']])),
    trade: (price) => mexcFrame('deals', 'BTCUSDT', NOW, dealsBody(`${price}`, '1', 1, NOW)),
    error: { id: 0, code: 1, msg: 'Invalid request' },
  },
  'mexc-futures': {
    symbol: 'BTC_USDT',
    asked: [
      { method: 'sub.deal', param: { symbol: 'BTC_USDT' }, gzip: false },
      { method: 'sub.depth', param: { symbol: 'BTC_USDT' }, gzip: false },
    ],
    paths: ['GET /api/v1/contract/depth/BTC_USDT?limit=5000'],
    book: (version, price) => ({
      success: true,
      code: 0,
      data: { version, bids: [[price, 1, 1]], asks: [], timestamp: NOW },
    }),
    change: (begin, end, _, price) => ({
      channel: 'push.depth',
      symbol: 'BTC_USDT',
      ts: NOW,
      data: { begin, end, version: end, bids: [[price, 2, 1]], asks: [] },
    }),
    trade: (price) => ({
      channel: 'push.deal',
      symbol: 'BTC_USDT',
      ts: NOW,
      data: [{ p: price, v: 1, T: 1, t: NOW, i: '1' }],
    }),
    error: { channel: 'rs.error', data: 'Invalid request' },
  },
};

function send(peer: Peer, message: object | Buffer): void {
  peer.socket.send(Buffer.isBuffer(message) ? message : JSON.stringify(message));
}

interface Played {
  readonly exchange: LoopbackExchange;
  readonly paths: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Plays the real-time API and the HTTP API of an exchange. @param answer by the number of the request. */
async function play(
  t: TestContext,
  name: string,
  act: (peer: Peer) => void | Promise<void>,
  answer: (number: number) => object,
): Promise<Played> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    response.end(JSON.stringify(answer(paths.length)));
  });
  const url = await listen(t, server);
  const exchange = await loopbackExchange(t, { play: act });
  const suffix = name.toUpperCase().replaceAll('-', '_');
  return { exchange, paths, env: { [`WSS_URL_${suffix}`]: exchange.url, [`REST_URL_${suffix}`]: url } };
}

const linesOf = (stream: Streaming): readonly unknown[] =>
  stream.lines.map(({ type, bids, isSnapshot, price }) =>
    type === 'book_change' ? [isSnapshot, bids] : (price ?? type),
  );
const errorsOf = (stream: Streaming): readonly string[] =>
  stream.events.flatMap((event) => (event.event === 'disconnect' ? [event.error.message] : []));

for (const [name, market] of Object.entries(MARKETS)) {
  const { symbol, book, change, trade } = market;

  test(`${name}: subscribes, and joins the book of its HTTP API with the changes, at the second try`, async (t) => {
    const heard: unknown[] = [];
    const { paths, env } = await play(
      t,
      name,
      async (peer) => {
        for (const _ of market.asked) heard.push(await peer.nextMessage());
        send(peer, change(11, 12, 10, 7));
        await stream.waitForLines(1);
        send(peer, change(13, 13, 12, 8));
        send(peer, trade(5));
      },
      (number) => book(number === 1 ? 8 : 11, 7),
    );
    const stream = startStream(t, [option(name, [symbol], 'trade,book_change')], env);
    await stream.waitForLines(3);
    assert.deepEqual(heard, market.asked);
    assert.deepEqual(paths, [...market.paths, ...market.paths]);
    assert.deepEqual(linesOf(stream), [
      [true, [{ price: 7, amount: 2 }]],
      [false, [{ price: 8, amount: 2 }]],
      5,
    ]);
    assert.deepEqual(errorsOf(stream), []);
  });

  test(`${name}: connects again after a gap, garbage, an error and a closed connection`, async (t) => {
    const acts: readonly ((peer: Peer) => void)[] = [
      (peer) => send(peer, change(21, 22, 20, 9)),
      (peer) => send(peer, Buffer.from([0x0a, 0xff, 0xff, 0x01])),
      (peer) => send(peer, market.error),
      ({ socket }) => socket.close(1013, 'going'),
    ];
    const { exchange, env } = await play(
      t,
      name,
      async (peer) => {
        for (const _ of market.asked) await peer.nextMessage();
        send(peer, change(11, 12, 10, peer.number));
        // A book of this connection, and then what ends it.
        await stream.waitForLine(({ bids }) => JSON.stringify(bids)?.includes(`"price":${peer.number},`));
        acts[peer.number - 1]?.(peer);
      },
      () => book(10, 100),
    );
    const stream = startStream(t, [option(name, [symbol], 'trade,book_change')], env);
    await stream.waitForLine(({ bids }) => JSON.stringify(bids)?.includes(`"price":${acts.length + 1},`));
    const [gap, garbage, error, closed] = errorsOf(stream);
    assert.equal(gap, `${name}: the book of ${symbol} lacks updates: updates 21 to 22 came after update 12`);
    assert.match(garbage ?? '', /unreadable|not valid JSON/);
    assert.match(error ?? '', new RegExp(`^${name} sent an error: .*Invalid request`));
    assert.match(closed ?? '', /closed the connection \(1013\): going/);
    assert.equal(exchange.peers.length, acts.length + 1);
  });
}

test('a connection that only answers pings is silent', async (t) => {
  for (const [name, pong] of [
    ['mexc', { id: 0, code: 0, msg: 'PONG' }],
    ['mexc-futures', { channel: 'pong', data: NOW }],
  ] as const) {
    const market = MARKETS[name] ?? assert.fail();
    const { env } = await play(
      t,
      name,
      async (peer) => {
        await peer.nextMessage();
        if (peer.number > 1) return send(peer, market.trade(5));
        const beats = setInterval(() => send(peer, pong), 10);
        cleanUp(t, () => clearInterval(beats));
      },
      () => ({}),
    );
    const options = [option(name, [market.symbol], 'trade', { timeoutIntervalMs: 300 })];
    const stream = startStream(t, options, env);
    await stream.waitForLines(1);
    assert.match(errorsOf(stream)[0] ?? '', /no message within 0\.3s$/);
    await stream.end();
  }
});

test('a response that is no book ends the connection of MEXC, which answers errors with status 200', async (t) => {
  for (const [name, body] of [
    ['mexc', { code: -1121, msg: 'Invalid symbol.' }],
    ['mexc-futures', { success: false, code: 1001, message: 'Contract does not exist' }],
  ] as const) {
    const market = MARKETS[name] ?? assert.fail();
    const { env } = await play(
      t,
      name,
      async (peer) => {
        await peer.nextMessage();
        send(peer, market.change(11, 12, 10, 7));
      },
      (number) => (number === 1 ? body : market.book(11, 7)),
    );
    const stream = startStream(t, [option(name, [market.symbol], 'book_change')], env);
    await stream.waitForLines(1);
    assert.deepEqual(errorsOf(stream), [
      `${name}: the book of ${market.symbol}: the response is not an order book`,
    ]);
  }
});

test('MEXC: a warning names symbols that are not accepted; answers and empty messages are no lines', async (t) => {
  const { env } = await play(
    t,
    'mexc',
    async (peer) => {
      const { params } = (await peer.nextMessage()) as { readonly params: readonly string[] };
      send(peer, { id: 0, code: 0, msg: params.join() });
      send(peer, { id: 0, code: 0, msg: 'Not Subscribed successfully! [spot@…@NOPE].  Reason： Blocked! ' });
      send(peer, { id: 0, code: 0, msg: 'PONG' });
      send(peer, mexcFrame('deals', 'BTCUSDT', NOW));
      send(peer, MARKETS['mexc']?.trade(3) ?? {});
    },
    () => ({}),
  );
  const stream = startStream(t, [option('mexc', ['BTCUSDT', 'NOPE'], 'trade')], env);
  await stream.waitForLines(1);
  assert.deepEqual(linesOf(stream), [3]);
  const warning = await stream.waitForEvent('warning');
  assert.match(warning.event === 'warning' ? warning.message : '', /^mexc sent an error: .*NOPE/);
});

test('MEXC: at most 30 subscriptions a connection', async (t) => {
  const heard: (readonly string[])[] = [];
  let isDone = (): void => {};
  const done = new Promise<void>((resolve) => {
    isDone = resolve;
  });
  const { env, exchange } = await play(
    t,
    'mexc',
    async (peer) => {
      const { params } = (await peer.nextMessage()) as { readonly params: readonly string[] };
      if (heard.push(params) === 2) isDone();
    },
    () => ({}),
  );
  const symbols = Array.from({ length: 40 }, (_, i) => `S${i}USDT`);
  startStream(t, [option('mexc', symbols, 'trade')], env);
  await done;
  assert.equal(exchange.peers.length, 2);
  assert.deepEqual(heard.map(({ length }) => length).sort(), [10, 30]);
  assert.equal(new Set(heard.flat()).size, 40);
});
