import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { discardBody, readBody, readWholeBody, WatchedBody } from '../../src/http/watched-body.js';
import { type ServiceResponse, sendGet } from '../../src/service/send-request.js';
import { clientFor, serve } from '../service/loopback.js';

async function requestBody(
  t: TestContext,
  listener: (response: ServerResponse) => void,
  stallTimeoutMs = 10_000,
): Promise<ServiceResponse> {
  const base = await serve(t, (_, response) => listener(response));
  return sendGet(clientFor(t, base, { stallTimeoutMs }), `${base}/file`, {}, undefined);
}

test('a body without further bytes is stalled', async (t) => {
  const clientResponse = await requestBody(t, (response) => response.write('12345'), 1000);
  await assert.rejects(readBody(clientResponse.body), {
    code: 'stalled',
    message: /file: no byte for .* after 5 B/,
  });
});

test('a slow reader of a fast body does not cause a stall', async (t) => {
  const size = 3_000_000;
  const clientResponse = await requestBody(t, (response) => response.end(Buffer.alloc(size)), 1000);
  let received = 0;
  for await (const chunk of clientResponse.body) {
    // The test needs a real pause: twice the stall timeout, with buffered bytes.
    if (received === 0) await sleep(2000);
    received += chunk.length;
  }
  assert.equal(received, size);
});

test('bytes that arrive at intervals below the timeout do not stall', async () => {
  const source = { pause: () => {}, resume: () => {}, abort: () => {} };
  // Together longer than the timeout, and each far shorter, also on a busy machine.
  const body = new WatchedBody(source, { name: 'x', stallTimeoutMs: 1500, announcedBytes: undefined });
  const drip = async (): Promise<void> => {
    for (let drop = 0; drop < 20; drop++) {
      await sleep(100);
      body.push(Buffer.from('x'));
    }
    body.finish();
  };
  const [bytes] = await Promise.all([readBody(body), drip()]);
  assert.equal(bytes.length, 20);
});

test('a body that ends before its announced size is short, and the error has both counts', async (t) => {
  const clientResponse = await requestBody(t, (response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('12345', () => response.socket?.end());
  });
  await assert.rejects(readBody(clientResponse.body), {
    code: 'short_body',
    message: /5 of the 100 announced bytes/,
  });
});

test('a connection that is reset within a body is a reset', async (t) => {
  let socket: Socket | null = null;
  const clientResponse = await requestBody(t, (response) => {
    socket = response.socket;
    response.writeHead(200, { 'content-length': '100' });
    response.write('12345');
  });
  await assert.rejects(
    async () => {
      for await (const chunk of clientResponse.body) if (chunk.length > 0) socket?.resetAndDestroy();
    },
    { code: 'reset' },
  );
});

test('a chunked body without its end is a reset', async (t) => {
  const clientResponse = await requestBody(t, (response) =>
    response.write('12345', () => response.socket?.end()),
  );
  await assert.rejects(readBody(clientResponse.body), { code: 'reset', message: /after 5 bytes/ });
});

test('discarding a body frees its connection, by closing it if the body is long', async (t) => {
  const sockets = new Set<unknown>();
  const base = await serve(t, (request, response) => {
    sockets.add(request.socket);
    response.end(Buffer.alloc(Number(request.url?.slice(1))));
  });
  const client = clientFor(t, base);
  await discardBody((await sendGet(client, `${base}/1000`, {}, undefined)).body);
  await new Promise(setImmediate);
  await discardBody((await sendGet(client, `${base}/50000000`, {}, undefined)).body);
  assert.equal(sockets.size, 1);
  await discardBody((await sendGet(client, `${base}/10`, {}, undefined)).body);
  assert.equal(sockets.size, 2);
});

test('destroying a body ends the request at once', async (t) => {
  const closings: Promise<unknown>[] = [];
  const clientResponse = await requestBody(t, (response) => {
    closings.push(once(response, 'close'));
    response.write('12345');
  });
  clientResponse.body.destroy();
  // The response does not end by itself: the server never ends it.
  await Promise.all(closings);
  assert.equal(closings.length, 1);
});

test('a whole body keeps its bytes in order, however small the chunks; a longer one is broken off', async () => {
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, at) => at % 251));
  const inChunks = (size: number): WatchedBody => {
    const source = { pause: () => {}, resume: () => {}, abort: () => {} };
    const body = new WatchedBody(source, { name: 'x', stallTimeoutMs: 1000, announcedBytes: undefined });
    for (let at = 0; at < bytes.length; at += size) body.push(bytes.subarray(at, at + size));
    body.finish();
    return body;
  };
  for (const size of [1, 7, 4096, 5000]) {
    assert.deepEqual(await readWholeBody(inChunks(size), bytes.length), bytes, `chunks of ${size}`);
  }
  assert.equal(await readWholeBody(inChunks(7), bytes.length - 1), undefined);
  assert.deepEqual(await readWholeBody(inChunks(1), 0), undefined);
});
