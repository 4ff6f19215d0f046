import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { cleanUp } from '../../helpers/clean-up.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { ask, type Served, serveHere, withOptions } from '../serving.js';
import { hear } from '../socket/connecting.js';

const PERIOD = { from: '2024-03-01', to: '2024-03-02' };
const TRADES = { exchange: 'bitmex', symbols: ['XBTUSD'], dataTypes: ['trade'], ...PERIOD };

/** Opens connections. */
async function openConnections(t: TestContext, port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}

/** Sends a text and reads until the connection closes. */
async function exchangeText(t: TestContext, port: number, text: string): Promise<string> {
  const [socket] = (await openConnections(t, port, 1)) as [Socket];
  let received = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    received += part;
  });
  socket.write(text);
  // A connection may be reset, which `once` would throw.
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

test('invalid options are 400 with a message, and 1011 with the start of the same message', async (t) => {
  const server = await serveHere(t, await sandbox(t), await tempDir(t));
  const options = (value: unknown): string => `options=${encodeURIComponent(JSON.stringify(value))}`;
  const cases: readonly (readonly [RegExp, string])[] = [
    [/^the query parameter "options" is missing/, ''],
    [/^options: "\{exchange:" is not JSON/, 'options={exchange:'],
    [/^options: ".*" is not JSON/, `options=${'['.repeat(50_000)}`],
    [/^options: expected an object, found nothing/, 'options=null'],
    [/^options: expected an object, found a number/, 'options=1'],
    [/^options: expected an object, found an empty list/, 'options=[[]]'],
    [/^"exchange" is missing/, options({ ...TRADES, exchange: null })],
    [/^"exchange": expected text, found a number/, options({ ...TRADES, exchange: 7 })],
    [/^"symbols": expected a list of texts, found a number in it/, options({ ...TRADES, symbols: [1] })],
    [/^"dataTypes": expected a list, found a text/, options({ ...TRADES, dataTypes: 'trade' })],
    [/^"dataTypes" is missing/, options({ ...TRADES, dataTypes: [] })],
    [/"trades" .* normalized data type; did you mean trade\?/, options({ ...TRADES, dataTypes: ['trades'] })],
    [/^unknown symbol "XBTUSDD"/, options({ ...TRADES, symbols: ['XBTUSDD'] })],
    [/^"from": expected text, found a number/, options({ ...TRADES, from: 1 })],
    [/^to: 2024-02-01 is before from \(2024-03-01\)/, options({ ...TRADES, to: '2024-02-01' })],
    [/is not a normalized data type/, options({ ...TRADES, dataTypes: ['trade', 'x'.repeat(5000)] })],
    [/unknown exchange/, options({ ...TRADES, exchange: 'bitmx' })],
    [/is not an exchange id/, options({ ...TRADES, exchange: '../../etc' })],
    [/^"withDisconnectMessages": expected true or false/, options({ ...TRADES, withDisconnectMessages: 1 })],
  ];
  for (const [sentence, query] of cases) {
    const { status, text } = await ask(server.httpPort, `/replay-normalized?${query}`);
    assert.equal(status, 400, text);
    const { message } = JSON.parse(text);
    assert.match(message, sentence);
    assert.ok(!message.includes('\n'));
    const { code, reason } = await hear(server, `/ws-replay-normalized?${query}`);
    assert.equal(code, 1011);
    assert.ok(message.startsWith(reason) && Buffer.byteLength(reason) <= 123, reason);
  }
});

test('huge addresses, invalid requests and invalid frames close only their connection', async (t) => {
  const server = await serveHere(t, await sandbox(t), await tempDir(t));
  const { httpPort, wsPort } = server;
  for (const port of [httpPort, wsPort]) {
    assert.match(
      await exchangeText(t, port, `GET /${'x'.repeat(200_000)} HTTP/1.1\r\nHost: a\r\n\r\n`),
      /^HTTP\/1.1 431/,
    );
    assert.match(await exchangeText(t, port, '\0\x16\x03\x01 rubbish\r\n\r\n'), /^HTTP\/1.1 400/);
    const many = Array.from({ length: 5000 }, (_, i) => `x-${i}: ${'y'.repeat(20)}`).join('\r\n');
    assert.match(
      await exchangeText(t, port, `GET / HTTP/1.1\r\nHost: a\r\n${many}\r\n\r\n`),
      /^HTTP\/1.1 431/,
    );
  }
  const upgrade =
    'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
  const opened = `GET /ws-replay HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n\r\n`;
  // An unmasked frame, a frame of an unknown type, and one with a huge length: 1002, 1002, 1009.
  const replays = '?exchange=bitmex&from=2024-03-01&to=2024-03-02';
  for (const [frame, code] of [
    ['\x81\x01a', 1002],
    ['\x83\x80\0\0\0\0', 1002],
    ['\x81\xff\0\0\0\x7f\xff\xff\xff\xff\0\0\0\0', 1009],
  ] as const) {
    const received = await exchangeFrame(
      t,
      server,
      opened.replace('/ws-replay', `/ws-replay${replays}`),
      frame,
    );
    assert.equal(received.readUInt16BE(received.length - 2), code);
  }
  assert.equal((await ask(httpPort, '/health-check')).status, 200);
});

test('a connection whose requests pile up behind a response is closed', async (t) => {
  const service = await sandbox(t, { latencyMs: 600_000 });
  const { httpPort } = await serveHere(t, service, await tempDir(t));
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const waiting = get(withOptions('/replay', { exchange: 'bitmex', ...PERIOD }));
  assert.equal(await exchangeText(t, httpPort, waiting + get('/health-check').repeat(5000)), '');
  const many = await exchangeText(
    t,
    httpPort,
    `${get('/health-check').repeat(80)}GET /health-check HTTP/1.0\r\nHost: localhost\r\n\r\n`,
  );
  assert.equal(many.match(/HTTP\/1\.1 200/g)?.length, 81);
});

/** Sends a handshake and a frame, and reads the bytes after the handshake until the end. */
async function exchangeFrame(
  t: TestContext,
  { wsPort }: Served,
  head: string,
  frame: string,
): Promise<Buffer> {
  const [socket] = (await openConnections(t, wsPort, 1)) as [Socket];
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.write(Buffer.from(head + frame, 'latin1'));
  if (!socket.destroyed) await once(socket, 'end');
  const bytes = Buffer.concat(parts);
  return bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
}

test('a thousand idle connections do not block other clients and are closed', async (t) => {
  const server = await serveHere(t, await sandbox(t), await tempDir(t));
  const idle = [
    ...(await openConnections(t, server.httpPort, 500)),
    ...(await openConnections(t, server.wsPort, 500)),
  ];
  const closed = Promise.all(idle.map((socket) => once(socket.resume(), 'close')));
  for (const socket of idle.filter((_, i) => i % 2 === 0)) socket.write('GET /replay HTTP/1.1\r\nHost: loc');
  assert.equal((await ask(server.httpPort, '/health-check')).status, 200);
  const minutes = { ...TRADES, to: '2024-03-01T00:02' };
  const { status } = await ask(server.httpPort, withOptions('/replay-normalized', minutes));
  assert.equal(status, 200);
  const { code } = await hear(server, withOptions('/ws-replay-normalized', minutes));
  assert.equal(code, 1000);
  await closed;
});
