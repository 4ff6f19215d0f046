import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
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
