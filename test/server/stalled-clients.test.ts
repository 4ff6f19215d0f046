import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { ReservedText } from '../../src/raw-feeds/feed-read-context.js';
import type { Sandbox } from '../../src/sandbox/sandbox-options.js';
import { replayNormalized } from '../../src/server/replay-normalized.js';
import { parseNormalizedOptions } from '../../src/server/request-options.js';
import { tempDir } from '../helpers/temp.js';
import { until } from '../helpers/until.js';
import { startFront } from '../raw-feeds/front.js';
import { ask, busySandbox, type Served, serveHere, withOptions } from './serving.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of memory in separate pages that is in use: Node counts none of it. */
let pageBytes = 0;
const collected = new FinalizationRegistry<number>((bytes) => {
  pageBytes -= bytes;
});
/** The same class, which counts the bytes of buffers that may grow. */
function counting<C extends typeof ArrayBuffer | typeof SharedArrayBuffer>(Class: C): C {
  return new Proxy(Class, {
    construct(target, args, newTarget) {
      const buffer = Reflect.construct(target, args, newTarget) as ArrayBufferLike;
      if (args.length > 1) {
        pageBytes += buffer.byteLength;
        collected.register(buffer, buffer.byteLength);
      }
      return buffer;
    },
  });
}
globalThis.ArrayBuffer = counting(ArrayBuffer);
globalThis.SharedArrayBuffer = counting(SharedArrayBuffer);

const CLIENTS = 20;
/** Documented: bytes that wait for one client, all buffers together. */
const MAX_WAITING_BYTES = 512 * 1024;
const START = Date.parse('2024-03-01');
/** Longer than any test may take. */
const LONG_MS = 600_000;

/** Each minute of the feed has 1 MB of text, which hold 5,000 trades. */
async function wideFeed(t: TestContext): Promise<Sandbox> {
  const service = await busySandbox(t);
  return startFront(t, service, (minute, response) => {
    const time = new Date(START + minute * 60_000).toISOString().slice(0, 17);
    const trade = { symbol: 'XBTUSD', side: 'Buy', size: 1, price: 1, trdMatchID: 'x', tickDirection: '' };
    const data = [{ timestamp: `${time}01.000Z`, ...trade }];
    const line = `${time}01.0000000Z ${JSON.stringify({ table: 'trade', action: 'insert', data })}\n`;
    const slice = gzipSync(line.repeat(5000), { level: 1 });
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(slice);
    return true;
  });
}

const asked = (minutes: number) => ({
  exchange: 'bitmex',
  symbols: ['XBTUSD'],
  dataTypes: ['trade'],
  from: '2024-03-01',
  to: new Date(START + minutes * 60_000).toISOString(),
});

/** Bytes of all buffers that are in use, once nothing is read ahead any more and no more of them is free. */
async function bufferBytes(): Promise<number> {
  let bytes = -1;
  for (let same = 0; same < 6; ) {
    for (let turn = 0; turn < 4; turn++) await nextTurn();
    collectGarbage();
    const now = process.memoryUsage().arrayBuffers + pageBytes;
    same = now === bytes ? same + 1 : 0;
    bytes = now;
  }
  return bytes;
}

// Shorter than what threads are for, and longer.
for (const minutes of [10, 20]) {
  test(`${CLIENTS} replays of ${minutes} minutes that nobody reads hold 512 KB each at most`, async (t) => {
    const server = await serveHere(t, await wideFeed(t), await tempDir(t));
    const { status } = await ask(server.httpPort, withOptions('/replay-normalized', asked(minutes)));
    assert.equal(status, 200);
    const { context } = server;
    const { texts } = context.run;
    // Large buffers come out of the memory that all share: too much of it is in use here.
    new ReservedText(texts).reserve((3 / 4) * texts.bytes);
    // The text of slices comes out of it too.
    const room = texts.left;
    const options = parseNormalizedOptions([asked(minutes)], context.warnOnce);
    const before = await bufferBytes();
    const stop = new AbortController();
    let stuck = 0;
    const replays = Array.from({ length: CLIENTS }, () => {
      const write = (): Promise<void> => {
        stuck++;
        return new Promise((_, reject) => stop.signal.addEventListener('abort', reject));
      };
      const target = { output: { write }, written: { messages: 0, bytes: 0 }, signal: stop.signal };
      return assert.rejects(replayNormalized(context, options, target));
    });
    await until('a write of each', () => stuck === CLIENTS);
    const ahead = room - texts.left;
    const held = (await bufferBytes()) - before - ahead;
    assert.ok(ahead <= 64 * 1024 * 1024);
    t.diagnostic(`${Math.round(held / CLIENTS / 1024)} KB wait for each`);
    assert.ok(held <= CLIENTS * MAX_WAITING_BYTES, `${Math.round(held / CLIENTS)} bytes wait for each`);
    stop.abort(new Error('over'));
    await Promise.all(replays);
    await until('room', () => texts.left === room);
  });
}

test('the server’s end does not wait for clients that have taken nothing for 5 s, and tells them with 1001', async (t) => {
  const server = await serveHere(t, await wideFeed(t), await tempDir(t));
  const path = withOptions('/replay-normalized', asked(30));
  const http = send(server.httpPort, path);
  const [deaf, late] = [
    send(server.wsPort, `/ws-${path.slice(1)}`),
    send(server.wsPort, `/ws-${path.slice(1)}`),
  ];
  for (const socket of [http, deaf, late]) await once(socket, 'readable');
  await until('bytes that nobody takes', () => isStuck(server));
  const closed = server.close(LONG_MS);
  let last = Buffer.alloc(0);
  late.on('data', (bytes: Buffer) => {
    last = Buffer.concat([last, bytes]).subarray(-100);
  });
  await Promise.all([closed, once(late, 'close')]);
  const reason = 'the server ends';
  const frame = Buffer.concat([Buffer.from([0x88, reason.length + 2, 0x03, 0xe9]), Buffer.from(reason)]);
  assert.ok(last.includes(frame), last.toString('latin1'));
  for (const socket of [http, deaf]) socket.destroy();
});

/** A request over a connection that is not read. */
function send(port: number, path: string): Socket {
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  const upgrade =
    'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const isSocket = path.startsWith('/ws');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${isSocket ? upgrade : ''}\r\n`);
  return socket;
}

/** Whether nothing was taken for more than 5 s. */
let seen = { bytes: -1, at: 0 };
function isStuck({ context: { metrics } }: Served): boolean {
  const now = performance.now();
  if (metrics.bytes !== seen.bytes) seen = { bytes: metrics.bytes, at: now };
  return now - seen.at > 6000;
}
