import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { createMetrics } from '../../../src/server/server-metrics.js';
import { SocketClient } from '../../../src/server/socket/socket-client.js';
import { cleanUp } from '../../helpers/clean-up.js';

test('a failed write counts as a disconnect before the WebSocket is closed', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  const upgrades = new WebSocketServer({ noServer: true });
  const broken = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
  broken.on('error', () => {});
  const metrics = createMetrics();
  const connecting = new Promise<SocketClient>((resolve) => {
    server.once('upgrade', (request, socket, head) => {
      upgrades.handleUpgrade(request, socket, head, (ws) => resolve(new SocketClient(ws, broken, metrics)));
    });
  });
  await once(server, 'listening');
  const peer = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  cleanUp(t, () => {
    peer.terminate();
    server.close();
  });
  const [client] = await Promise.all([connecting, once(peer, 'open')]);
  assert.equal(client.isOpen, true);
  client.frames.add(Buffer.from('{}'), 0, 2);
  await assert.rejects(client.flush(), { code: 'reset', message: 'the client left' });
  assert.deepEqual([client.isOpen, client.signal.aborted, client.frames.length], [false, true, 0]);
  assert.deepEqual([metrics.messages, metrics.bytes], [0, 0]);
});
