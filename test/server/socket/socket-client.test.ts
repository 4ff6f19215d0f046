import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { WebSocket, WebSocketServer } from 'ws';
import { createMetrics } from '../../../src/server/server-metrics.js';
import { FrameBuffer, SocketClient, truncateUtf8 } from '../../../src/server/socket/socket-client.js';
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

/** Parses the messages of complete text frames of a server (RFC 6455, section 5.2). */
function readFrames(bytes: Buffer): readonly string[] {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    assert.equal(bytes[at], 0x81);
    const short = bytes[at + 1] ?? 0;
    const [head, size] =
      short < 126
        ? [2, short]
        : short === 126
          ? [4, bytes.readUInt16BE(at + 2)]
          : [10, Number(bytes.readBigUInt64BE(at + 2))];
    // A length takes the shortest form that holds it.
    assert.equal(head, size < 126 ? 2 : size < 0x1_0000 ? 4 : 10);
    const start = at + head;
    texts.push(bytes.toString('utf8', start, start + size));
    at = start + size;
  }
  return texts;
}

test('frames of any length contain their messages', () => {
  const length = fc.oneof(
    fc.integer({ min: 0, max: 300 }),
    fc.constantFrom(125, 126, 127, 65_535, 65_536, 70_000),
  );
  fc.assert(
    fc.property(fc.array(length, { maxLength: 20 }), (lengths) => {
      const frames = new FrameBuffer();
      const texts = lengths.map((size, i) => String.fromCharCode(97 + i).repeat(size));
      for (const text of texts) frames.add(Buffer.from(`<${text}>`), 1, text.length + 1);
      assert.deepEqual(readFrames(frames.bytes), texts);
      assert.equal(frames.count, texts.length);
      frames.clear(64);
      assert.equal(frames.bytes.length, 0);
    }),
  );
});

test('cuts a text to a number of bytes without splitting a character', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'é', '漢', '😀')), fc.nat(40), (characters, most) => {
      const text = characters.join('');
      const cut = truncateUtf8(text, most);
      assert.ok(text.startsWith(cut) && Buffer.byteLength(cut) <= most);
      const next = [...text.slice(cut.length)][0];
      assert.ok(next === undefined || Buffer.byteLength(cut + next) > most);
    }),
  );
});
