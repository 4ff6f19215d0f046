import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { dealsBody, mexcFrame } from '../../exchange-adapters/live-feeds/mexc-writer.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { createMarketSender, loopbackExchange, type Peer } from '../../live/exchange.js';
import { serveHere, withOptions } from '../serving.js';
import { connectTo, hear, whileOpen } from './connecting.js';

const PATH = '/ws-stream-normalized';
/** Longer than any test waits, in milliseconds. */
const LONG_MS = 3_600_000;
const BITMEX = { exchange: 'BitMEX', symbols: ['XBTUSD'], dataTypes: ['trade'] };

interface Line {
  readonly type: string;
  readonly exchange: string;
  readonly [field: string]: unknown;
}

const gone = ({ socket }: Peer): Promise<unknown> => once(socket, 'close');

test('merges a list into one stream, sends requested disconnects and errors, and stops with its client', async (t) => {
  const [bitmex, bybit] = await Promise.all([
    loopbackExchange(t, {
      async play(peer) {
        await peer.nextMessage();
        createMarketSender('bitmex', 'XBTUSD', peer).trade(peer.number);
        if (peer.number === 1) peer.socket.close(4000, 'going');
      },
    }),
    loopbackExchange(t, {
      async play(peer) {
        await peer.nextMessage();
        createMarketSender('bybit', 'BTCUSDT', peer).trade(7);
      },
    }),
  ]);
  const env = { WSS_URL_BITMEX: bitmex.url, WSS_URL_BYBIT: bybit.url };
  const server = await serveHere(t, await sandbox(t), await tempDir(t), { apiKey: undefined, env });
  const options = [
    { ...BITMEX, withDisconnectMessages: true, withErrorMessages: true, timeoutIntervalMS: 5000 },
    { exchange: 'bybit', symbols: ['BTCUSDT'], dataTypes: ['trade'], symbol: 'x' },
  ];
  const lines: Line[] = [];
  await new Promise((resolve) => {
    const { socket } = connectTo(server, withOptions(`${PATH}/`, options), [], (text) => {
      lines.push(JSON.parse(text) as Line);
      if (lines.length === 5) resolve(socket.terminate());
    });
  });
  await Promise.all([bitmex, bybit].map(({ peers }) => peers.at(-1)).map((peer) => peer && gone(peer)));
  const listEvents = (exchange: string): readonly unknown[] =>
    lines.filter((line) => line.exchange === exchange).map(({ type, price }) => price ?? type);
  assert.deepEqual(listEvents('bybit'), [7]);
  assert.deepEqual([...listEvents('bitmex')].sort(), [1, 2, 'disconnect', 'error']);
  const error = lines.find(({ type }) => type === 'error');
  assert.deepEqual(Object.keys(error ?? {}), [
    'type',
    'exchange',
    'localTimestamp',
    'details',
    'subSequentErrorsCount',
  ]);
  assert.match(String(error?.['details']), /closed the connection \(4000\): going$/);
  assert.deepEqual(server.warnings, ['options: "symbol" is ignored; did you mean symbols?']);
});

test('streams the binary frames of mexc as normalized messages', async (t) => {
  const at = 1_781_337_091_703;
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      peer.socket.send(mexcFrame('deals', 'BTCUSDT', at, dealsBody('100.1', '0.2', 2, at)));
    },
  });
  const server = await serveHere(t, await sandbox(t), await tempDir(t), { env: { WSS_URL_MEXC: url } });
  const options = { exchange: 'mexc', symbols: ['BTCUSDT'], dataTypes: ['trade'] };
  const connected = connectTo(server, withOptions(PATH, options));
  const [text] = (await whileOpen(connected, once(connected.socket, 'message'))) as [Buffer];
  const { localTimestamp, ...trade } = JSON.parse(String(text)) as Line;
  assert.deepEqual(trade, {
    ...{ type: 'trade', symbol: 'BTCUSDT', exchange: 'mexc', id: '7X0' },
    ...{ price: 100.1, amount: 0.2, side: 'sell', timestamp: new Date(at).toISOString() },
  });
  connected.socket.terminate();
});

test('replaces a connection that is silent for timeoutIntervalMS and reports it if requested', async (t) => {
  const { url, peers } = await loopbackExchange(t, { play() {} });
  const server = await serveHere(t, await sandbox(t), await tempDir(t), { env: { WSS_URL_BITMEX: url } });
  const options = { ...BITMEX, timeoutIntervalMS: 200, withErrorMessages: true };
  const connected = connectTo(server, withOptions(PATH, options));
  const { socket } = connected;
  const [text] = (await whileOpen(connected, once(socket, 'message'))) as [Buffer];
  const { type, exchange, details, subSequentErrorsCount } = JSON.parse(String(text)) as Line;
  assert.deepEqual([type, exchange, subSequentErrorsCount], ['error', 'bitmex', 1]);
  assert.match(String(details), /no message within 0\.2s$/);
  socket.terminate();
  for (const peer of peers) if (peer.socket.readyState !== peer.socket.CLOSED) await gone(peer);
});

test('invalid options close with 1011 and the reason; an empty list ends at once', async (t) => {
  const server = await serveHere(t, await sandbox(t), await tempDir(t));
  for (const [options, reason] of [
    [{ exchange: 'bitmex' }, /"dataTypes" is missing/],
    [{ ...BITMEX, timeoutIntervalMS: '5' }, /"timeoutIntervalMS": expected milliseconds/],
    [{ ...BITMEX, withErrorMessages: 1 }, /"withErrorMessages": expected true or false/],
    [[BITMEX, { ...BITMEX, exchange: 'bitmx' }], /^unknown exchange "bitmx"; did you mean bitmex\?$/],
    [{ ...BITMEX, dataTypes: ['option_summary'] }, /no option_summary/],
  ] as const) {
    const heard = await hear(server, withOptions(PATH, options));
    assert.equal(heard.code, 1011);
    assert.match(heard.reason, reason);
  }
  const { code, reason } = await hear(server, withOptions(PATH, []));
  assert.deepEqual([code, reason], [1000, 'WS stream-normalized finished']);
});

test('the end of the server does not wait for a stream', async (t) => {
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      createMarketSender('bitmex', 'XBTUSD', peer).trade(1);
    },
  });
  const env = { WSS_URL_BITMEX: url };
  const server = await serveHere(t, await sandbox(t), await tempDir(t), { env });
  const { socket, heard } = connectTo(server, withOptions(PATH, BITMEX));
  await once(socket, 'message');
  await server.close(LONG_MS);
  const { code, reason } = await heard;
  assert.deepEqual([code, reason], [1001, 'the server ends']);
});

test('closes a client that is too slow and its connection to the exchange', async (t) => {
  const trade = {
    timestamp: '2024-03-01T00:00:00.000Z',
    symbol: 'XBTUSD',
    side: 'Buy',
    size: 1,
    price: 1,
    trdMatchID: 'x'.repeat(5000),
  };
  const text = JSON.stringify({ table: 'trade', action: 'insert', data: Array(100).fill(trade) });
  let over = (): void => {};
  const isOver = new Promise<void>((resolve) => {
    over = resolve;
  });
  const { url, peers } = await loopbackExchange(t, {
    async play({ socket }) {
      while (socket.readyState === socket.OPEN) await new Promise((resolve) => socket.send(text, resolve));
      over();
    },
  });
  const server = await serveHere(t, await sandbox(t), await tempDir(t), { env: { WSS_URL_BITMEX: url } });
  const { socket, heard } = connectTo(server, withOptions(PATH, BITMEX));
  socket.once('open', () => socket.pause());
  await isOver;
  socket.resume();
  const { code, reason } = await heard;
  assert.deepEqual([code, reason, peers.length], [1008, 'Too much backpressure', 1]);
});
