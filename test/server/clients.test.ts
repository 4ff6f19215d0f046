import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { createMarketSender, loopbackExchange } from '../live/exchange.js';
import { ask, busySandbox, serveHere, withOptions } from './serving.js';
import { connectTo, hear, whileOpen } from './socket/connecting.js';

/** Requests and requirements of existing clients (`docs/spec/local-server.md#known-clients`). */

interface Level {
  readonly price?: number;
  readonly amount?: number;
}

interface Message {
  readonly type: string;
  readonly exchange: string;
  readonly id?: unknown;
  readonly depth?: number;
  readonly interval?: number;
  readonly bids?: readonly Level[];
  readonly asks?: readonly Level[];
}

const KNOWN_TYPES = ['book_change', 'book_snapshot', 'trade', 'trade_bar', 'derivative_ticker', 'disconnect'];
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** Checks a message like nautilus_trader, which ends its stream at the first message it cannot parse. */
function parseStrictly(text: string): Message {
  const message = JSON.parse(text) as Message;
  assert.ok(KNOWN_TYPES.includes(message.type), text);
  for (const [key, value] of Object.entries(message)) {
    if (/timestamp$/i.test(key)) assert.match(String(value), RFC_3339, text);
  }
  assert.ok(message.id === undefined || typeof message.id === 'string', text);
  for (const whole of [message.depth ?? 0, message.interval ?? 0]) {
    assert.ok(Number.isInteger(whole) && whole >= 0, text);
  }
  for (const level of [...(message.bids ?? []), ...(message.asks ?? [])]) {
    assert.equal(typeof level.price, typeof level.amount, `half a level: ${text}`);
  }
  return message;
}

/** It always sends a list and days, and one type that some exchanges lack: the server skips that type with a warning. */
test('nautilus_trader: lists, days, and derivative_ticker for every exchange', async (t) => {
  const service = await sandbox(t);
  const dir = await tempDir(t);
  const dataTypes = ['trade', 'book_change', 'book_snapshot_3_1m', 'trade_bar_1m', 'derivative_ticker'];
  for (const [source, to] of [
    ['datasets', '2024-03-02'],
    ['feeds', '2024-03-01T02:00'],
  ] as const) {
    const commonOptions = { dataTypes, from: '2024-03-01', to };
    const options = [
      { ...commonOptions, exchange: 'coinbase', symbols: ['BTC-USD'], withDisconnectMessages: null },
      { ...commonOptions, exchange: 'bitmex', symbols: ['xbtusd'], withDisconnectMessages: true },
    ];
    const server = await serveHere(t, service, dir, { source });
    const { messages, code } = await hear(server, withOptions('/ws-replay-normalized', options));
    assert.equal(code, 1000);
    const read = messages.map(parseStrictly);
    const listTypes = (exchange: string): ReadonlySet<string> =>
      new Set(read.filter((message) => message.exchange === exchange).map(({ type }) => type));
    for (const type of ['trade', 'book_change', 'book_snapshot', 'trade_bar']) {
      assert.ok(listTypes('coinbase').has(type) && listTypes('bitmex').has(type), `${source} ${type}`);
    }
    assert.deepEqual(
      [listTypes('coinbase'), listTypes('bitmex')].map((types) => types.has('derivative_ticker')),
      [false, true],
    );
    const lacking = server.warnings.filter((line) => /coinbase has no derivative_ticker/.test(line));
    assert.equal(lacking.length, 1, server.warnings.join('\n'));
  }
});

test('nautilus_trader: a stream with pings; tardis-rs: full ISO times', async (t) => {
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      const market = createMarketSender('bitmex', 'XBTUSD', peer);
      market.book(true, 100, 101);
      market.trade(100);
    },
  });
  const service = await sandbox(t);
  const server = await serveHere(t, service, await tempDir(t), { env: { WSS_URL_BITMEX: url } });
  const stream = [
    {
      exchange: 'bitmex',
      symbols: ['XBTUSD'],
      dataTypes: ['trade', 'book_change'],
      timeoutIntervalMS: 60_000,
    },
  ];
  const receivedTypes: string[] = [];
  let onBoth = (): void => {};
  const both = new Promise<void>((resolve) => {
    onBoth = resolve;
  });
  const connected = connectTo(server, withOptions('/ws-stream-normalized', stream), [], (text) => {
    receivedTypes.push(parseStrictly(text).type);
    if (receivedTypes.length === 2) onBoth();
  });
  await whileOpen(connected, both);
  assert.deepEqual(receivedTypes, ['book_change', 'trade']);
  const { socket } = connected;
  const pong = once(socket, 'pong');
  socket.ping('still there');
  const [payload] = (await whileOpen(connected, pong)) as [Buffer];
  assert.equal(String(payload), 'still there');
  socket.terminate();

  const whole = [
    {
      exchange: 'bitmex',
      symbols: ['XBTUSD'],
      from: '2024-03-01T00:00:00Z',
      to: '2024-03-01T03:00:00Z',
      dataTypes: ['trade'],
      withDisconnectMessages: false,
    },
  ];
  const { messages, code } = await hear(server, withOptions('/ws-replay-normalized', whole));
  assert.ok(messages.length > 0);
  assert.equal(code, 1000);
  for (const text of messages) assert.match(text, /"side":"(?:buy|sell|unknown)"/);
});

test('others: times in the form of isoformat(), unescaped JSON and plus signs, on each endpoint', async (t) => {
  const server = await serveHere(t, await busySandbox(t), await tempDir(t));
  const minutes = (from: string, to: string) => ({ exchange: 'bitmex', from, to });
  const usual = minutes('2024-03-01T00:00:00.000Z', '2024-03-01T00:10:00.000Z');
  const written = [
    minutes('2024-03-01T00:00:00', '2024-03-01T00:10:00'),
    minutes('2024-03-01T00:00:00+00:00', '2024-03-01T00:10:59.999999+00:00'),
    minutes('2024-03-01', '2024-03-01 00:10'),
    minutes('2024-03-01T00:00', '2024-03-01T00:10:30'),
  ];
  const types = { symbols: ['XBTUSD'], dataTypes: ['trade'] };
  const filters = [{ channel: 'trade', symbols: ['XBTUSD'] }];
  const subscribe = ['{"op":"subscribe","args":"trade:XBTUSD"}'];
  const raw = await ask(server.httpPort, withOptions('/replay', { ...usual, filters }));
  const normalized = await ask(server.httpPort, withOptions('/replay-normalized', [{ ...usual, ...types }]));
  assert.deepEqual([raw.status, normalized.status], [200, 200]);
  const lines = normalized.text.split('\n').slice(0, -1);
  assert.ok(lines.length > 5);
  const sessions = written.map(async (period) => {
    const unescaped = (options: object): string => JSON.stringify(options).replaceAll(' ', '+');
    const { from, to } = period;
    const [http, sockets, native] = await Promise.all([
      ask(server.httpPort, `/replay?options=${unescaped({ ...period, filters })}`),
      hear(server, `/ws-replay-normalized?options=${unescaped([{ ...period, ...types }])}`),
      hear(server, `/ws-replay?exchange=bitmex&from=${from}&to=${to}`, subscribe),
    ]);
    assert.deepEqual([http.status, http.text === raw.text], [200, true], from);
    // Normalized replays of feeds have whole minutes, too.
    assert.deepEqual([sockets.code, sockets.messages], [1000, lines], from);
    assert.equal(native.code, 1000);
    assert.equal(native.messages.length, raw.text.split('\n').length - 1);
  });
  await Promise.all(sessions);
  assert.deepEqual(server.warnings, []);
});

test('bitmex-realtime-api and similar clients: an endpoint with a query, and no welcome message', async (t) => {
  const server = await serveHere(t, await busySandbox(t), await tempDir(t));
  const endpoint = '/ws-replay?exchange=bitmex&from=2024-03-01&to=2024-03-01T00:05';
  const { messages, code } = await hear(server, endpoint, [
    '{"op":"subscribe","args":["trade:XBTUSD","instrument"]}',
    'help',
    'help',
    '{"op":"unsubscribe","args":["instrument"]}',
  ]);
  assert.equal(code, 1000);
  assert.ok(messages.length > 5);
  for (const text of messages) assert.match(text, /^\{"table":"(?:trade|instrument)",/);
  // A message that is not understood is logged once, with an example of a valid one.
  assert.equal(server.warnings.length, 1);
  assert.match(
    server.warnings[0] ?? '',
    /^\/ws-replay bitmex: not a valid subscribe message .* a valid one is \{"op":"subscribe","args":\["trade:XBTUSD"\]\}$/,
  );
});
