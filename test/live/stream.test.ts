import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { TickhaulError } from '../../src/base/errors.js';
import { connectProxy } from '../helpers/connect-proxy.js';
import { loopbackExchange, type Peer, teller } from './exchange.js';
import { option, startStream } from './streaming.js';

/** What each exchange is asked for, and a symbol of it. */
const EXCHANGES = [
  {
    exchange: 'bitmex',
    symbol: 'XBTUSD',
    asked: [
      { op: 'subscribe', args: ['orderBookL2:XBTUSD'] },
      { op: 'subscribe', args: ['trade:XBTUSD'] },
    ],
  },
  {
    exchange: 'deribit',
    symbol: 'BTC-PERPETUAL',
    asked: [
      { jsonrpc: '2.0', method: 'public/set_heartbeat', id: 0, params: { interval: 10 } },
      {
        jsonrpc: '2.0',
        id: 3,
        method: 'public/subscribe',
        params: { channels: ['book.BTC-PERPETUAL.100ms', 'trades.BTC-PERPETUAL.100ms'] },
      },
    ],
  },
  {
    exchange: 'bybit',
    symbol: 'BTCUSDT',
    asked: [{ op: 'subscribe', args: ['orderbook.50.BTCUSDT', 'publicTrade.BTCUSDT'] }],
  },
] as const;

for (const { exchange, symbol, asked } of EXCHANGES) {
  test(`${exchange} is asked in its own words, without a login, and its messages are normalized`, async (t) => {
    const heard: unknown[] = [];
    const { url } = await loopbackExchange(t, {
      async play(peer) {
        for (const _ of asked) heard.push(await peer.asked());
        const market = teller(exchange, symbol, peer);
        market.book(true, 100, 101);
        market.trade(100.5);
      },
    });
    const name = `WSS_URL_${exchange.toUpperCase()}`;
    const stream = startStream(t, [option(exchange, [symbol], 'trade,book_change,quote')], { [name]: url });
    await stream.cameTo(3);
    assert.deepEqual(heard, asked);
    const [book, quote, trade] = stream.lines;
    assert.deepEqual(
      stream.lines.map(({ type }) => type),
      ['book_change', 'book_snapshot', 'trade'],
    );
    assert.equal(book?.['isSnapshot'], true);
    assert.deepEqual(quote?.['bids'], [{ price: 100, amount: 1 }]);
    assert.equal(trade?.['price'], 100.5);
    assert.match(String(trade?.localTimestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.ok(Math.abs(Date.parse(String(trade?.localTimestamp)) - Date.now()) < 60_000);
    await stream.end();
    assert.equal(stream.written.messages, 3);
  });
}

test('okex-swap has two connections, one of which breaks: both are made anew, and books with them', async (t) => {
  const channels = (peer: Peer, message: unknown): readonly string[] => {
    const { args } = message as { readonly args: readonly { readonly channel: string }[] };
    return peer.socket.readyState === peer.socket.OPEN ? args.map(({ channel }) => channel) : [];
  };
  const { url, peers } = await loopbackExchange(t, {
    async play(peer) {
      const [channel] = channels(peer, await peer.asked());
      const market = teller('okex-swap', 'BTC-USDT-SWAP', peer);
      const isFirst = peer.number <= 2;
      if (channel === 'books') market.book(true, isFirst ? 100 : 200, isFirst ? 101 : 201);
      else if (!isFirst) market.trade(200.5);
    },
  });
  const stream = startStream(t, [option('okex-swap', ['BTC-USDT-SWAP'], 'trade,quote')], {
    WSS_URL_OKEX_SWAP: url,
  });
  await stream.cameTo(1);
  peers.at(-1)?.socket.close(4000, 'going');
  await stream.found(({ type }) => type === 'trade');
  await stream.found(({ type, bids }) => type === 'book_snapshot' && JSON.stringify(bids).includes('200'));
  assert.equal(peers.length, 4);
  const [first, second] = stream.lines;
  assert.equal(first?.type, 'book_snapshot');
  assert.deepEqual(second, {
    type: 'disconnect',
    exchange: 'okex-swap',
    localTimestamp: first?.localTimestamp,
    symbols: ['BTC-USDT-SWAP'],
  });
  const event = await stream.told('disconnect');
  assert.match(
    event.event === 'disconnect' ? event.error.message : '',
    /closed the connection \(4000\): going$/,
  );
});

test('bars and books begin anew after a break, whether or not it is told', async (t) => {
  for (const withDisconnects of [true, false]) {
    const { url } = await loopbackExchange(t, {
      async play(peer) {
        await peer.asked();
        const market = teller('bitmex', 'XBTUSD', peer);
        market.trade(1);
        if (peer.number > 1) market.trade(2);
        else peer.socket.close();
      },
    });
    const options = [option('bitmex', ['XBTUSD'], 'trade,trade_bar_2ticks', { withDisconnects })];
    const stream = startStream(t, options, { WSS_URL_BITMEX: url });
    const bar = await stream.found(({ type }) => type === 'trade_bar');
    assert.deepEqual([bar['open'], bar['close'], bar['trades']], [1, 2, 2]);
    const breaks = stream.lines.filter(({ type }) => type === 'disconnect');
    assert.equal(breaks.length, withDisconnects ? 1 : 0);
    await stream.end();
  }
});

test('a connection that is silent is made anew; heartbeats are no messages', async (t) => {
  const beats: NodeJS.Timeout[] = [];
  t.after(() => beats.forEach(clearInterval));
  const { url, peers } = await loopbackExchange(t, {
    async play(peer) {
      if (peer.number > 1) {
        await peer.asked();
        return teller('deribit', 'BTC-PERPETUAL', peer).trade(5);
      }
      beats.push(setInterval(() => peer.send({ jsonrpc: '2.0', method: 'heartbeat', params: {} }), 10));
    },
  });
  const options = [option('deribit', ['BTC-PERPETUAL'], 'trade', { timeoutIntervalMs: 300 })];
  const stream = startStream(t, options, { WSS_URL_DERIBIT: url });
  await stream.found(({ price }) => price === 5);
  assert.ok(peers.length >= 2);
  const event = await stream.told('disconnect');
  assert.match(event.event === 'disconnect' ? event.error.message : '', /no message within 0\.3s$/);
});

test('a question of the exchange is answered', async (t) => {
  let answer: unknown;
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await peer.asked();
      await peer.asked();
      peer.send({ jsonrpc: '2.0', method: 'heartbeat', params: { type: 'test_request' } });
      answer = await peer.asked();
      teller('deribit', 'BTC-PERPETUAL', peer).trade(5);
    },
  });
  const stream = startStream(t, [option('deribit', ['BTC-PERPETUAL'], 'trade')], { WSS_URL_DERIBIT: url });
  await stream.cameTo(1);
  assert.deepEqual(answer, { jsonrpc: '2.0', method: 'public/test', id: 0, params: {} });
});

test('rubbish breaks a connection off: what is no JSON, no message, an error, an overlong text', async (t) => {
  const bad: readonly ((peer: Peer) => void)[] = [
    (peer) => peer.socket.send('{"table":"trade"'),
    (peer) => peer.socket.send('null'),
    (peer) => peer.send({ table: 'trade', action: 'insert', data: [null] }),
    (peer) => peer.send({ status: 400, error: 'Unknown table:\u001b[31m nothing' }),
    (peer) => peer.socket.send(Buffer.from([0xff, 0xfe, 0xfd])),
  ];
  const { url, peers } = await loopbackExchange(t, {
    async play(peer) {
      await peer.asked();
      const act = bad[peer.number - 1];
      if (act) act(peer);
      else teller('bitmex', 'XBTUSD', peer).trade(7);
    },
  });
  const stream = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], { WSS_URL_BITMEX: url });
  await stream.found(({ price }) => price === 7);
  assert.equal(peers.length, bad.length + 1);
  const told = stream.events.map((event) => (event.event === 'disconnect' ? event.error.message : ''));
  assert.match(told[0] ?? '', /^bitmex: a message of the feed is not JSON/);
  assert.match(told[1] ?? '', /^bitmex sent a message that can't be read$/);
  assert.match(told[2] ?? '', /can't be normalized/);
  assert.equal(told[3], 'bitmex sent an error: {"status":400,"error":"Unknown table:\\u001b[31m nothing"}');
  assert.match(told[4] ?? '', /not JSON/);
  assert.ok(told.every((text) => !text.includes('\u001b')));
  // Only the third was one of the exchange's messages, however wrong.
  assert.deepEqual(
    stream.lines.map(({ type }) => type),
    ['disconnect', 'trade'],
  );
});

test('limits, bans and refusals are told with what the exchange asks for', async (t) => {
  const answers = [
    { status: 429, headers: { 'retry-after': '7' } },
    { status: 418 },
    { status: 403 },
    { status: 503 },
    { status: 404 },
  ];
  const { url } = await loopbackExchange(t, {
    refuse: (handshake) => answers[handshake - 1],
    play: (peer) => teller('bitmex', 'XBTUSD', peer).trade(1),
  });
  const stream = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], { WSS_URL_BITMEX: url });
  await stream.cameTo(1);
  assert.deepEqual(
    stream.events.map((event) =>
      event.event === 'disconnect'
        ? [event.error.code, event.error.status, event.error.retryAfterMs, event.failures]
        : [],
    ),
    [
      ['rate_limited', 429, 7000, 1],
      ['rate_limited', 418, undefined, 2],
      ['no_access', 403, undefined, 3],
      ['server_error', 503, undefined, 4],
      ['rejected', 404, undefined, 5],
    ],
  );
});

test('50 connections in a row that fail are the end, code 5; one that gave a line begins the count anew', async (t) => {
  const { url, statuses } = await loopbackExchange(t, {
    refuse: (handshake) => (handshake === 50 ? undefined : { status: 500 }),
    play(peer) {
      teller('bitmex', 'XBTUSD', peer).trade(1);
      peer.socket.close();
    },
  });
  const stream = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], { WSS_URL_BITMEX: url });
  await assert.rejects(stream.ended, (error) => {
    assert.ok(error instanceof TickhaulError);
    assert.equal(error.code, 'unreachable');
    assert.equal(error.exitCode, 5);
    assert.match(error.message, /^bitmex: 50 connections in a row failed, the last one so: .* answered 500$/);
    return true;
  });
  assert.equal(statuses.length, 100);
});

test('a welcome and an error, again and again, is a connection that failed', async (t) => {
  const { url, peers } = await loopbackExchange(t, {
    async play(peer) {
      peer.send({ info: 'Welcome' });
      await peer.asked();
      peer.send({ status: 400, error: 'Unknown symbol' });
    },
  });
  const stream = startStream(t, [option('bitmex', ['NOPE'], 'trade')], { WSS_URL_BITMEX: url });
  await assert.rejects(stream.ended, /50 connections in a row failed.*Unknown symbol/);
  assert.equal(peers.length, 50);
});

test('several exchanges are one stream, each line as it comes', async (t) => {
  const [bitmex, bybit] = await Promise.all(
    [
      ['bitmex', 'XBTUSD'],
      ['bybit', 'BTCUSDT'],
    ].map(([exchange = '', symbol = '']) =>
      loopbackExchange(t, {
        async play(peer) {
          await peer.asked();
          teller(exchange, symbol, peer).trade(1);
        },
      }),
    ),
  );
  const options = [option('bitmex', ['XBTUSD'], 'trade'), option('bybit', ['BTCUSDT'], 'trade')];
  const stream = startStream(t, options, {
    WSS_URL_BITMEX: String(bitmex?.url),
    WSS_URL_BYBIT: String(bybit?.url),
  });
  await stream.cameTo(2);
  assert.deepEqual(stream.lines.map(({ exchange }) => exchange).sort(), ['bitmex', 'bybit']);
  const times = stream.lines.map(({ localTimestamp }) => localTimestamp);
  assert.deepEqual(times, [...times].sort());
});

test('a reader that falls behind: the connection is ended, and made anew once it has caught up', async (t) => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const texts: string[] = [];
  let done = (): void => {};
  const caughtUp = new Promise<void>((resolve) => {
    done = resolve;
  });
  const { url, peers } = await loopbackExchange(t, {
    async play(peer) {
      await peer.asked();
      const market = teller('bitmex', 'XBTUSD', peer);
      if (peer.number > 1) return market.trade(999);
      // Without an end, but for the client's.
      for (let price = 1; peer.socket.readyState === peer.socket.OPEN; price++) {
        market.trade(price);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  });
  const stream = startStream(
    t,
    [option('bitmex', ['XBTUSD'], 'trade')],
    { WSS_URL_BITMEX: url },
    {
      mostWaiting: 4096,
      output: {
        async write(bytes) {
          texts.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
          if (texts.join('').includes('"price":999,')) done();
          await held;
        },
      },
    },
  );
  const event = await stream.told('behind');
  assert.ok(event.event === 'behind' && event.bytes > 4096 && event.bytes < 8192);
  assert.equal(peers.length, 1);
  release();
  await caughtUp;
  assert.equal(peers.length, 2);
  const lines = texts.join('').split('\n').slice(0, -1);
  const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
  assert.deepEqual(types, [...types.slice(0, -2).map(() => 'trade'), 'disconnect', 'trade']);
});

test('what is thrown by the output ends the stream', async (t) => {
  const { url } = await loopbackExchange(t, {
    play: (peer) => teller('bitmex', 'XBTUSD', peer).trade(1),
  });
  const full = new TickhaulError('disk', 'full');
  const stream = startStream(
    t,
    [option('bitmex', ['XBTUSD'], 'trade')],
    { WSS_URL_BITMEX: url },
    {
      output: { write: () => Promise.reject(full) },
    },
  );
  await assert.rejects(stream.ended, full);
});

test('what cannot be streamed is refused before anything is connected', async (t) => {
  const refused = async (exchange: string, symbols: readonly string[], type: string): Promise<string> => {
    const stream = startStream(t, [option(exchange, symbols, type)], {});
    const error: unknown = await stream.ended.catch((thrown: unknown) => thrown);
    assert.ok(error instanceof TickhaulError && error.code === 'usage', String(error));
    return error.message;
  };
  assert.match(await refused('gemini', ['BTCUSD'], 'trade'), /^gemini: trade messages .*tickhaul replay$/);
  assert.match(await refused('coinbase-international', ['BTC-PERP'], 'trade'), /only to its customers/);
  assert.match(await refused('binance', ['BTCUSDT'], 'option_summary'), /has no option_summary messages/);
  const bad = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], { WSS_URL_BITMEX: 'http://x' });
  await assert.rejects(bad.ended, /^TickhaulError: WSS_URL_BITMEX is not an address of a WebSocket/);
});

test('connections go through the proxy of the environment, by a tunnel; one that refuses is told', async (t) => {
  const { url } = await loopbackExchange(t, {
    play: (peer) => teller('bitmex', 'XBTUSD', peer).trade(3),
  });
  const proxy = await connectProxy(t);
  const env = { WSS_URL_BITMEX: url, HTTP_PROXY: proxy.url.replace('http://', 'http://me:pass@') };
  const stream = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], env);
  await stream.cameTo(1);
  const login = Buffer.from('me:pass').toString('base64');
  assert.deepEqual(proxy.asked, [`CONNECT ${url.replace('ws://', '')} Basic ${login}`]);

  const refusing = await connectProxy(t, 407);
  const refused = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], {
    WSS_URL_BITMEX: url,
    HTTP_PROXY: refusing.url,
  });
  const event = await refused.told('disconnect');
  assert.match(event.event === 'disconnect' ? event.error.message : '', /the proxy answered 407/);
});

test('a stream that is ended while its symbols are asked for ends well', async (t) => {
  const ended = { signal: AbortSignal.abort() };
  const stream = startStream(t, [option('deribit', [], 'trade')], {}, ended);
  await stream.ended;
  assert.deepEqual(stream.lines, []);
});

test('a handshake that nobody answers ends in its own time, however long a silence may be', async (t) => {
  const deaf = createServer().listen(0, '127.0.0.1');
  t.after(() => deaf.close());
  await once(deaf, 'listening');
  deaf.on('connection', (socket) => t.after(() => socket.destroy()));
  const { port } = deaf.address() as AddressInfo;
  const env = { WSS_URL_BITMEX: `ws://127.0.0.1:${port}` };
  const times = { settleMs: 0, handshakeMs: 5, waitMs: () => 0 };
  const stream = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], env, { times });
  const event = await stream.told('disconnect');
  assert.match(event.event === 'disconnect' ? event.error.message : '', /cannot be reached: no handshake/);
});
