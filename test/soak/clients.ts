import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Random } from '../../src/sandbox/simulation/seeded-random.js';
import { ask, withOptions } from '../server/serving.js';
import { connectTo } from '../server/socket/connecting.js';
import { STREAMED } from './exchanges.js';
import { ALL_REQUESTS, LONG_PERIOD, type SoakRequest } from './soak-requests.js';

/** More characters than an address may have. */
const MAX_ADDRESS_CHARACTERS = 100_000;

/** The server, and its expected responses. */
export interface SoakTarget {
  readonly httpPort: number;
  readonly wsPort: number;
  readonly random: Random;
  /** The expected text over HTTP, by path. */
  readonly expected: ReadonlyMap<string, string>;
  /** Counts an event of a kind. */
  readonly count: (what: string) => void;
  /** Milliseconds that a quick operation took. */
  readonly waited: (ms: number) => void;
}

/** Activities of clients, each repeated. Wrong results are thrown. */
export const CLIENTS: readonly ((place: SoakTarget) => Promise<void>)[] = [
  readAll,
  readAllMessages,
  disconnectEarly,
  requestWithoutReading,
  sendInvalidRequests,
  requestHealth,
  stream,
];

/** This process, which is the service and all clients, was too busy to send its request in time. */
const REQUEST_TIMEOUT_STATUS = 408;

async function readAll(place: SoakTarget): Promise<void> {
  const asked = oneOf(place.random, ALL_REQUESTS);
  const { status, text, isWhole } = await ask(place.httpPort, asked.path);
  if (status !== 200 || !isWhole) {
    assert.ok([200, 429, 503, REQUEST_TIMEOUT_STATUS].includes(status), `${asked.name}: ${status} ${text}`);
    return place.count('answers that broke off');
  }
  assert.ok(text === getExpected(place, asked), `${asked.name}: other bytes over HTTP`);
  place.count('answers over HTTP');
}

async function readAllMessages(place: SoakTarget): Promise<void> {
  const asked = oneOf(place.random, ALL_REQUESTS);
  const { messages, code, reason } = await connectTo(place, asked.socket.path, asked.socket.sent).heard;
  if (code !== 1000) {
    assert.equal(code, 1011, `${asked.name}: ${code} ${reason}`);
    return place.count('answers that broke off');
  }
  const lines = getExpected(place, asked).split('\n').slice(0, -1);
  const right = lines.filter((line) => line !== '').map(asked.messageOf);
  assert.ok(right.join('\n') === messages.join('\n'), `${asked.name}: other messages over WebSocket`);
  place.count('answers over WebSocket');
}

/** Reads some bytes, then closes or resets the connection. */
async function disconnectEarly({ httpPort, wsPort, random, count }: SoakTarget): Promise<void> {
  const asked = oneOf(random, ALL_REQUESTS);
  const isSocket = random.chance(0.5);
  const enough = random.int(300_000);
  await new Promise<void>((resolve) => {
    const connection = connect(isSocket ? wsPort : httpPort, '127.0.0.1');
    connection.write(isSocket ? upgrade(asked.socket.path) : get(asked.path));
    let bytes = 0;
    const leave = (): void => {
      if (random.chance(0.5)) connection.destroy();
      else connection.resetAndDestroy();
    };
    connection.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes > enough) leave();
    });
    connection.on('error', () => {});
    connection.on('end', leave);
    connection.on('close', () => resolve());
    setTimeout(leave, 3000).unref();
  });
  count('clients that left');
}

/** Requests more than a connection buffers, and reads nothing. */
async function requestWithoutReading({ httpPort, random, count }: SoakTarget): Promise<void> {
  const options = { exchange: oneOf(random, ['bitmex', 'bybit']), filters: [], ...LONG_PERIOD };
  const connection = connect(httpPort, '127.0.0.1').pause();
  connection.on('error', () => {});
  connection.write(get(withOptions('/replay', options)));
  await pause(2000 + random.int(4000));
  connection.destroy();
  count('clients that never read');
}

/** Invalid requests are rejected with the expected error. */
async function sendInvalidRequests({ httpPort, wsPort, random, count }: SoakTarget): Promise<void> {
  const path = oneOf(random, [
    '/replay?options={',
    withOptions('/replay', { exchange: 'bitmx', from: '2024-03-01', to: '2024-03-02' }),
    withOptions('/replay-normalized', [{ exchange: 'bitmex', dataTypes: ['trades'] }]),
    `/replay?options=${'x'.repeat(MAX_ADDRESS_CHARACTERS)}`,
    '/../../etc/passwd',
  ]);
  const { status, text } = await ask(httpPort, path).catch((error: unknown) => {
    // The server may reject an overlong address before all of it was sent.
    if (path.length > MAX_ADDRESS_CHARACTERS) return { status: 431, text: '' };
    throw error;
  });
  assert.ok(status >= 400 && status < 500, `${status} for ${path.slice(0, 80)}: ${text}`);
  const socket = new WebSocket(
    `ws://127.0.0.1:${wsPort}/ws-replay?exchange=bitmex&from=2024-03-01&to=2024-03-02`,
  );
  socket.on('error', () => {});
  await once(socket, 'open');
  const closed = new Promise<number>((resolve) => {
    socket.once('close', resolve);
  });
  socket.send(
    oneOf(random, ['{', 'x'.repeat(600_000), Buffer.alloc(1000), '[[[', '{"op":"subscribe","args":[1]}']),
  );
  // Without a subscription the session ends.
  const code = await closed;
  // An overlong frame may be rejected before all of it was sent.
  assert.ok([1006, 1009, 1011].includes(code), `closed with ${code}`);
  const garbage = connect(oneOf(random, [httpPort, wsPort]), '127.0.0.1');
  garbage.on('error', () => {});
  garbage.end('\x16\x03\x01 no HTTP\r\n\r\n');
  garbage.resume();
  await once(garbage, 'close');
  count('rubbish');
}

/** A small request is answered soon, whatever other clients do. */
async function requestHealth({ httpPort, count, waited }: SoakTarget): Promise<void> {
  const began = performance.now();
  const { status } = await ask(httpPort, '/health-check');
  if (status === REQUEST_TIMEOUT_STATUS) return count('health checks that came too late');
  assert.equal(status, 200);
  waited(performance.now() - began);
  count('health checks');
  await pause(200);
}

/** Receives live messages for a while. */
async function stream({ wsPort, random, count }: SoakTarget): Promise<void> {
  const exchanges = Object.entries(STREAMED).filter(() => random.chance(0.6));
  const options = exchanges.map(([exchange, symbol]) => ({
    exchange,
    symbols: [symbol],
    dataTypes: ['trade', 'book_change', 'trade_bar_1s'],
    withDisconnectMessages: true,
    withErrorMessages: true,
    timeoutIntervalMS: 1000,
  }));
  const { socket, heard } = connectTo({ wsPort }, withOptions('/ws-stream-normalized', options));
  const stay = 1000 + random.int(8000);
  socket.once('open', () => setTimeout(() => socket.close(), stay));
  const { messages, code, reason } = await heard;
  const isOver = [1000, 1005].includes(code);
  assert.ok(isOver, `stream of ${exchanges.map(([exchange]) => exchange).join()}: ${code} ${reason}`);
  for (const text of messages) {
    const { exchange } = JSON.parse(text) as { exchange: string };
    assert.ok(
      exchanges.some(([name]) => name === exchange),
      text,
    );
    count('live messages');
  }
  count('streams');
}

function getExpected({ expected }: SoakTarget, { path }: SoakRequest): string {
  const text = expected.get(path);
  assert.ok(text !== undefined);
  return text;
}

function oneOf<T>(random: Random, list: readonly T[]): T {
  return list[random.int(list.length)] as T;
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
}

export function upgrade(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
}
