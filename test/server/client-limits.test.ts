import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { TextBudget } from '../../src/raw-feeds/feed-read-context.js';
import { createWarnOnce, SHARED_TEXT_BYTES, withClientBuffers } from '../../src/server/client-limits.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { until } from '../helpers/until.js';
import { createMarketSender, loopbackExchange } from '../live/exchange.js';
import { ask, serveHere, withOptions } from './serving.js';
import { connectTo, hear } from './socket/connecting.js';

const STREAM = withOptions('/ws-stream-normalized', {
  exchange: 'bitmex',
  symbols: ['XBTUSD'],
  dataTypes: ['trade'],
  timeoutIntervalMS: 0,
});
const REPLAY = withOptions('/replay-normalized', {
  exchange: 'bitmex',
  symbols: ['XBTUSD'],
  dataTypes: ['trade'],
  from: '2024-03-01',
  to: '2024-03-01T00:05',
});

test('clients above the limit are refused on both ports, and let in when others left', async (t) => {
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      createMarketSender('bitmex', 'XBTUSD', peer).trade(1);
    },
  });
  const server = await serveHere(t, await sandbox(t), await tempDir(t), {
    env: { WSS_URL_BITMEX: url },
    maxClients: 2,
  });
  const clients = [connectTo(server, STREAM), connectTo(server, STREAM)];
  for (const { socket } of clients) await once(socket, 'message');

  const { status, text } = await ask(server.httpPort, REPLAY);
  assert.equal(status, 503);
  assert.match(JSON.parse(text).message, /^too many clients: 2 are being served; .*--max-clients$/);
  const { code, reason } = await hear(server, STREAM);
  assert.deepEqual([code, reason], [1013, JSON.parse(text).message]);
  // What tells how the server does is always answered, and so is its page.
  for (const path of ['/health-check', '/metrics', '/', '/page/server']) {
    assert.equal((await ask(server.httpPort, path)).status, 200, path);
  }

  const [first, second] = clients;
  first?.socket.close();
  await first?.heard;
  await until('room', async () => (await ask(server.httpPort, REPLAY)).status === 200);
  // One that answered has left.
  assert.equal((await ask(server.httpPort, REPLAY)).status, 200);
  second?.socket.close();
  await second?.heard;
});

test('gives large buffers while a quarter of the shared memory stays free, and takes them back', async () => {
  const shared = new TextBudget(SHARED_TEXT_BYTES);
  const sizes: number[] = [];
  const replayAll = (clients: number): Promise<void> =>
    withClientBuffers(shared, 1, async ({ bufferBytes }) => {
      sizes.push(bufferBytes);
      if (clients > 1) await replayAll(clients - 1);
    });
  await replayAll(100);
  assert.equal(sizes.length, 100);
  const [large, small] = [256 * 1024, 40 * 1024];
  assert.deepEqual(sizes, [...Array(16).fill(large), ...Array(84).fill(small)]);
  assert.equal(shared.left, SHARED_TEXT_BYTES);
});

test('takes large buffers back after an error', async () => {
  const shared = new TextBudget(SHARED_TEXT_BYTES);
  await assert.rejects(
    withClientBuffers(shared, 1, () => Promise.reject(new Error('refused'))),
    /refused/,
  );
  assert.equal(shared.left, SHARED_TEXT_BYTES);
});

test('divides the buffers of a replay by its inputs, down to 8 KB', async () => {
  const shared = new TextBudget(SHARED_TEXT_BYTES);
  for (const [inputs, bytes] of [
    [4, 64 * 1024],
    [1000, 8 * 1024],
  ] as const) {
    assert.equal(await withClientBuffers(shared, inputs, async ({ bufferBytes }) => bufferBytes), bytes);
  }
});

test('warnings are remembered and printed by their start: they quote what clients send', () => {
  const lines: string[] = [];
  const warnOnce = createWarnOnce((line) => void lines.push(line));
  for (const end of ['a', 'b']) warnOnce(`"${'x'.repeat(500_000)}${end}"`);
  for (const line of ['two\nlines', 'two lines', 'other']) warnOnce(line);
  assert.deepEqual(
    lines.map(({ length }) => length),
    [1000, 9, 5],
  );
});
