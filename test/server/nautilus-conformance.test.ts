import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { tempDir } from '../helpers/temp.js';
import { createMarketSender, loopbackExchange } from '../live/exchange.js';
import { ask, busySandbox, type Served, serveHere, withOptions } from './serving.js';

/*
 * What NautilusTrader 1.231.0 needs from its Tardis Machine server, as read in its source: it ends its stream at
 * anything else.
 */

type Message = Readonly<Record<string, unknown>>;

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const SYMBOL_TYPES = new Set(['spot', 'perpetual', 'future', 'option', 'combo']);

/** Checks of the fields that it parses, by type. */
const CHECKS: Readonly<Record<string, (message: Message) => void>> = {
  book_change({ bids, asks, isSnapshot }) {
    assert.equal(typeof isSnapshot, 'boolean');
    assertLevels(bids);
    assertLevels(asks);
  },
  book_snapshot({ bids, asks, depth, interval }) {
    assertUnsigned(depth, interval);
    assertLevels(bids);
    assertLevels(asks);
  },
  trade({ id, price, amount, side }) {
    assert.ok(id === null || id === undefined || typeof id === 'string');
    assert.ok(typeof price === 'number' && typeof amount === 'number');
    assert.match(String(side), /^(buy|sell|unknown)$/);
  },
  trade_bar({ name, interval, trades, openTimestamp, closeTimestamp, ...values }) {
    assert.match(String(name), /^trade_bar_\d+(ms|s|m|ticks|vol)$/);
    assertUnsigned(interval, trades);
    assertTimes(openTimestamp, closeTimestamp);
    for (const key of ['open', 'high', 'low', 'close', 'volume', 'buyVolume', 'sellVolume', 'vwap'])
      assert.equal(typeof values[key], 'number', key);
  },
  derivative_ticker(message) {
    for (const key of ['lastPrice', 'openInterest', 'fundingRate', 'indexPrice', 'markPrice'])
      assert.ok(['number', 'undefined'].includes(typeof (message[key] ?? undefined)), key);
  },
  option_summary({ underlyingIndex, expirationDate, strikePrice, optionType, ...values }) {
    assert.equal(typeof underlyingIndex, 'string');
    assert.equal(typeof strikePrice, 'number');
    assert.match(String(optionType), /^(call|put)$/);
    assertTimes(expirationDate);
    for (const key of Object.keys(values))
      if (/iv$/i.test(key)) assert.match(key, /^(bestBidIV|bestAskIV|markIV)$/);
  },
  disconnect() {},
};

function assertLevels(levels: unknown): void {
  assert.ok(Array.isArray(levels));
  for (const level of levels) {
    const keys = Object.keys(level);
    assert.ok(keys.length === 0 || (typeof level.price === 'number' && typeof level.amount === 'number'));
  }
}

function assertUnsigned(...values: readonly unknown[]): void {
  for (const value of values) assert.ok(Number.isInteger(value) && Number(value) >= 0, String(value));
}

function assertTimes(...values: readonly unknown[]): void {
  for (const value of values) assert.match(String(value), RFC_3339);
}

interface Session {
  readonly status: number | undefined;
  readonly pongs: number;
  readonly messages: readonly Message[];
  readonly code: number;
}

/**
 * Connects as it does: a Ping without content at once, and another with each thousandth message.
 * @param end called with each message; true ends the session.
 */
async function connect(
  { wsPort }: Pick<Served, 'wsPort'>,
  path: string,
  end: (messages: readonly Message[], pongs: number) => boolean = () => false,
): Promise<Session> {
  const socket = new WebSocket(`ws://127.0.0.1:${wsPort}${path}`);
  const messages: Message[] = [];
  let status: number | undefined;
  let pongs = 0;
  const endIfDone = (): void => {
    if (end(messages, pongs)) socket.close(1000);
  };
  socket.on('upgrade', (response: IncomingMessage) => {
    status = response.statusCode;
  });
  socket.on('open', () => socket.ping(''));
  socket.on('pong', (data: Buffer) => {
    assert.equal(data.length, 0);
    pongs++;
    endIfDone();
  });
  socket.on('message', (data, isBinary) => {
    // It ignores binary frames.
    if (isBinary) return;
    messages.push(JSON.parse(String(data)) as Message);
    if (messages.length % 1000 === 0) socket.ping('');
    endIfDone();
  });
  const [code] = (await once(socket, 'close')) as [number];
  return { status, pongs, messages, code };
}

function assertUnderstood(messages: readonly Message[], exchanges: ReadonlySet<string>): void {
  for (const message of messages) {
    const { type, exchange, symbol, timestamp, localTimestamp } = message;
    const check = CHECKS[String(type)];
    assert.ok(check, `type ${type}`);
    assert.ok(exchanges.has(String(exchange)));
    assertTimes(localTimestamp);
    if (type !== 'disconnect') {
      assert.equal(typeof symbol, 'string');
      assertTimes(timestamp);
    }
    check(message);
  }
}

/** The ids of an exchange's instruments, in upper case, each with the fields that it needs. */
async function loadInstruments({ httpPort }: Served, exchange: string): Promise<ReadonlySet<string>> {
  const headers = { authorization: 'Bearer some-key', 'user-agent': 'nautilus' };
  const { status, text } = await ask(httpPort, `/v1/instruments/${exchange}`, { headers });
  assert.equal(status, 200, text);
  const instruments = JSON.parse(text) as readonly Message[];
  for (const instrument of instruments) {
    for (const field of ['id', 'exchange', 'baseCurrency', 'quoteCurrency', 'availableSince'])
      assert.equal(typeof instrument[field], 'string', field);
    assert.ok(SYMBOL_TYPES.has(String(instrument['type'])));
    assert.equal(typeof instrument['active'], 'boolean');
    for (const field of ['priceIncrement', 'amountIncrement', 'minTradeAmount', 'makerFee', 'takerFee'])
      assert.ok(instrument[field] !== null && Number.isFinite(Number(instrument[field])), field);
    const one = await ask(
      httpPort,
      `/v1/instruments/${exchange}/${encodeURIComponent(String(instrument['id']))}`,
      { headers },
    );
    assert.deepEqual(JSON.parse(one.text), instrument);
  }
  return new Set(instruments.map(({ id }) => String(id).toUpperCase()));
}

const HOURS = { from: '2024-03-01', to: '2024-03-01T03:00' };
const REPLAYS = [
  {
    exchange: 'bitmex',
    symbols: ['xbtusd'],
    ...HOURS,
    dataTypes: ['trade', 'book_change', 'derivative_ticker', 'trade_bar_1m', 'book_snapshot_10_1s', 'quote'],
  },
  { exchange: 'coinbase', ...HOURS, dataTypes: ['trade', 'derivative_ticker'], withDisconnectMessages: null },
];

async function served(t: TestContext, source: 'feeds' | 'datasets', env: Record<string, string> = {}) {
  return serveHere(t, await busySandbox(t, { rows: 3000 }), await tempDir(t), { source, env });
}

for (const source of ['feeds', 'datasets'] as const) {
  test(`replays ${source}, also option summaries, as NautilusTrader needs it, up to close code 1000`, async (t) => {
    const server = await served(t, source);
    const path = withOptions('/ws-replay-normalized', REPLAYS);
    const { status, pongs, messages, code } = await connect(server, path);
    assert.deepEqual([status, code], [101, 1000]);
    assert.ok(pongs >= 1);
    const lacking = server.warnings.filter((line) => /coinbase has no derivative_ticker/.test(line));
    assert.equal(lacking.length, 1, server.warnings.join('\n'));
    assertUnderstood(messages, new Set(['bitmex', 'coinbase']));
    const types = new Set(messages.map(({ exchange, type }) => `${exchange} ${type}`));
    assert.deepEqual([...types].sort(), [
      ...['book_change', 'book_snapshot', 'derivative_ticker', 'trade', 'trade_bar'].map(
        (type) => `bitmex ${type}`,
      ),
      'coinbase trade',
    ]);
    for (const exchange of ['bitmex', 'coinbase']) {
      const known = await loadInstruments(server, exchange);
      for (const message of messages)
        if (message['exchange'] === exchange) assert.ok(known.has(String(message['symbol']).toUpperCase()));
    }
    const summaries = [{ exchange: 'deribit', symbols: null, ...HOURS, dataTypes: ['option_summary'] }];
    const options = await connect(server, withOptions('/ws-replay-normalized', summaries));
    assert.equal(options.code, 1000);
    assertUnderstood(options.messages, new Set(['deribit']));
    for (const key of ['bestBidIV', 'bestAskIV', 'markIV'])
      assert.ok(options.messages.some((message) => typeof message[key] === 'number'));
  });
}

test('marks disconnects with a message that NautilusTrader knows, if asked', async (t) => {
  const service = await busySandbox(t, { rows: 3000, feeds: { breaks: 0.05 } });
  const server = await serveHere(t, service, await tempDir(t));
  const options = REPLAYS.map((replay) => ({ ...replay, withDisconnectMessages: true }));
  const { messages, code } = await connect(server, withOptions('/ws-replay-normalized', options));
  assert.equal(code, 1000);
  assertUnderstood(messages, new Set(['bitmex', 'coinbase']));
  assert.ok(messages.some(({ type }) => type === 'disconnect'));
});

test('streams live messages as NautilusTrader needs them, and answers its pings', async (t) => {
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      const market = createMarketSender('bitmex', 'XBTUSD', peer);
      market.book(true, 100, 101);
      market.trade(7);
    },
  });
  const server = await served(t, 'feeds', { WSS_URL_BITMEX: url });
  const options = [
    {
      exchange: 'bitmex',
      symbols: ['xbtusd'],
      dataTypes: ['trade', 'book_change', 'derivative_ticker'],
      timeoutIntervalMS: 5000,
    },
  ];
  const path = withOptions('/ws-stream-normalized', options);
  const session = await connect(server, path, (messages, pongs) => messages.length > 1 && pongs > 0);
  assert.deepEqual([session.status, session.code], [101, 1000]);
  assertUnderstood(session.messages, new Set(['bitmex']));
  assert.deepEqual(
    session.messages.map(({ type, price }) => [type, price]),
    [
      ['book_change', undefined],
      ['trade', 7],
    ],
  );
});
