import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../src/base/errors.js';
import { createMarketSender, loopbackExchange } from './exchange.js';
import { option, startStream } from './streaming.js';

/** The subscriptions of each exchange, and one of its symbols. */

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
  test(`${exchange} gets its own subscribe messages, without a login, and its messages are normalized`, async (t) => {
    const heard: unknown[] = [];
    const { url } = await loopbackExchange(t, {
      async play(peer) {
        for (const _ of asked) heard.push(await peer.nextMessage());
        const market = createMarketSender(exchange, symbol, peer);
        market.book(true, 100, 101);
        market.trade(100.5);
      },
    });
    const name = `WSS_URL_${exchange.toUpperCase()}`;
    const stream = startStream(t, [option(exchange, [symbol], 'trade,book_change,quote')], { [name]: url });
    await stream.waitForLines(3);
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

test("kraken uses its API of July 2026, with tickhaul's own normalizers", async (t) => {
  const at = '2026-11-22T10:00:00.123456Z';
  const heard: unknown[] = [];
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      heard.push(await peer.nextMessage(), await peer.nextMessage());
      peer.send({ channel: 'status', type: 'update', data: [{ system: 'online', version: '2.0.10' }] });
      peer.send({ method: 'subscribe', success: true, result: { channel: 'trade', symbol: 'BTC/USD' } });
      peer.send({ channel: 'heartbeat' });
      const level = (price: number, qty: number) => ({ price, qty });
      const book = { symbol: 'BTC/USD', bids: [level(100, 1)], asks: [level(101, 2)], timestamp: at };
      peer.send({ channel: 'book', type: 'snapshot', data: [book] });
      const change = { ...book, bids: [level(100, 0), level(99, 3)], asks: [] };
      peer.send({ channel: 'book', type: 'update', data: [change] });
      const trade = { symbol: 'BTC/USD', side: 'sell', price: 99, qty: 0.5, trade_id: 7, timestamp: at };
      peer.send({ channel: 'trade', type: 'update', data: [trade] });
    },
  });
  const options = [option('kraken', ['BTC/USD'], 'trade,quote')];
  const stream = startStream(t, options, { WSS_URL_KRAKEN: url });
  await stream.waitForLines(3);
  assert.deepEqual(heard, [
    { method: 'subscribe', params: { channel: 'trade', symbol: ['BTC/USD'] } },
    { method: 'subscribe', params: { channel: 'book', symbol: ['BTC/USD'], depth: 1000 } },
  ]);
  assert.deepEqual(
    stream.lines.map(({ type, bids, price, timestamp }) => [type, bids ?? price, timestamp]),
    [
      ['book_snapshot', [{ price: 100, amount: 1 }], at],
      ['book_snapshot', [{ price: 99, amount: 3 }], at],
      ['trade', 99, at],
    ],
  );
});

test('answers a request of the exchange', async (t) => {
  let answer: unknown;
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      await peer.nextMessage();
      peer.send({ jsonrpc: '2.0', method: 'heartbeat', params: { type: 'test_request' } });
      answer = await peer.nextMessage();
      createMarketSender('deribit', 'BTC-PERPETUAL', peer).trade(5);
    },
  });
  const stream = startStream(t, [option('deribit', ['BTC-PERPETUAL'], 'trade')], { WSS_URL_DERIBIT: url });
  await stream.waitForLines(1);
  assert.deepEqual(answer, { jsonrpc: '2.0', method: 'public/test', id: 0, params: {} });
});

test('an error that does not affect the connection is a warning', async (t) => {
  const { url, peers } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      const msg = "Wrong URL or channel:trades-all,instId:NONE-SWAP doesn't exist";
      peer.send({ event: 'error', code: '60018', msg, connId: String(peer.number) });
      createMarketSender('okex-swap', 'BTC-USDT-SWAP', peer).trade(peer.number);
      if (peer.number === 1) peer.socket.close();
    },
  });
  const stream = startStream(t, [option('okex-swap', ['BTC-USDT-SWAP', 'NONE-SWAP'], 'trade')], {
    WSS_URL_OKEX_SWAP: url,
  });
  await stream.waitForLine(({ price }) => price === 2);
  assert.equal(peers.length, 2);
  const warnings = stream.events.flatMap((event) => (event.event === 'warning' ? [event.message] : []));
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /^okex-swap sent an error: .*NONE-SWAP doesn't exist/);
});

test('merges several exchanges into one stream, in the order of arrival', async (t) => {
  const [bitmex, bybit] = await Promise.all(
    [
      ['bitmex', 'XBTUSD'],
      ['bybit', 'BTCUSDT'],
    ].map(([exchange = '', symbol = '']) =>
      loopbackExchange(t, {
        async play(peer) {
          await peer.nextMessage();
          createMarketSender(exchange, symbol, peer).trade(1);
        },
      }),
    ),
  );
  const options = [option('bitmex', ['XBTUSD'], 'trade'), option('bybit', ['BTCUSDT'], 'trade')];
  const stream = startStream(t, options, {
    WSS_URL_BITMEX: String(bitmex?.url),
    WSS_URL_BYBIT: String(bybit?.url),
  });
  await stream.waitForLines(2);
  assert.deepEqual(stream.lines.map(({ exchange }) => exchange).sort(), ['bitmex', 'bybit']);
  const times = stream.lines.map(({ localTimestamp }) => localTimestamp);
  assert.deepEqual(times, [...times].sort());
});

test('disconnects if the reader is too slow, and reconnects after it has caught up', async (t) => {
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
      await peer.nextMessage();
      const market = createMarketSender('bitmex', 'XBTUSD', peer);
      if (peer.number > 1) return market.trade(999);
      // Endless, except for the client's.
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
      maxWaitingBytes: 4096,
      output: {
        async write(bytes) {
          texts.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
          if (texts.join('').includes('"price":999,')) done();
          await held;
        },
      },
    },
  );
  const event = await stream.waitForEvent('behind');
  assert.ok(event.event === 'behind' && event.bytes > 4096 && event.bytes < 8192);
  assert.equal(peers.length, 1);
  release();
  await caughtUp;
  assert.equal(peers.length, 2);
  const lines = texts.join('').split('\n').slice(0, -1);
  const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
  assert.deepEqual(types, [...types.slice(0, -2).map(() => 'trade'), 'disconnect', 'trade']);
});

test('an error of the output ends the stream', async (t) => {
  const { url } = await loopbackExchange(t, {
    play: (peer) => createMarketSender('bitmex', 'XBTUSD', peer).trade(1),
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

test('refuses unsupported streams before any connection', async (t) => {
  const refused = async (exchange: string, symbols: readonly string[], type: string): Promise<string> => {
    const stream = startStream(t, [option(exchange, symbols, type)], {});
    const error: unknown = await stream.ended.catch((thrown: unknown) => thrown);
    assert.ok(error instanceof TickhaulError && error.code === 'usage', String(error));
    return error.message;
  };
  assert.match(await refused('coinbase-international', ['BTC-PERP'], 'trade'), /requires an account/);
  assert.match(await refused('binance', ['BTCUSDT'], 'option_summary'), /has no option_summary messages/);
  const bad = startStream(t, [option('bitmex', ['XBTUSD'], 'trade')], { WSS_URL_BITMEX: 'http://x' });
  await assert.rejects(bad.ended, /^TickhaulError: WSS_URL_BITMEX: not a WebSocket address/);
});

test('a stream that is ended during the request of its symbols resolves', async (t) => {
  const ended = { signal: AbortSignal.abort() };
  const stream = startStream(t, [option('deribit', [], 'trade')], {}, ended);
  await stream.ended;
  assert.deepEqual(stream.lines, []);
});
