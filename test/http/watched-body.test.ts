import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { discardBody, readBody, readWholeBody, WatchedBody } from '../../src/http/watched-body.js';
import { type ServiceResponse, sendGet } from '../../src/service/http/send-request.js';
import { clientFor, serve } from '../service/loopback.js';

async function answerOf(
  t: TestContext,
  listener: (response: ServerResponse) => void,
  stallTimeoutMs = 10_000,
): Promise<ServiceResponse> {
  const base = await serve(t, (_, response) => listener(response));
  return sendGet(clientFor(t, base, { stallTimeoutMs }), `${base}/file`, {}, undefined);
}

test('a body that falls silent is stalled', async (t) => {
  const answer = await answerOf(t, (response) => response.write('12345'), 1000);
  await assert.rejects(readBody(answer.body), { code: 'stalled', message: /file: no byte for .* after 5 B/ });
});

test('a slow reader of a quick body is no stall', async (t) => {
  const size = 3_000_000;
  const answer = await answerOf(t, (response) => response.end(Buffer.alloc(size)), 1000);
  let received = 0;
  for await (const chunk of answer.body) {
    // The pause itself is what is tested: twice the stall timeout with bytes at hand.
    if (received === 0) await sleep(2000);
    received += chunk.length;
  }
  assert.equal(received, size);
});

test('bytes that come in drops shorter than the timeout apart are no stall', async () => {
  const source = { pause: () => {}, resume: () => {}, abort: () => {} };
  const body = new WatchedBody(source, { name: 'x', stallTimeoutMs: 150, announced: undefined });
  const drip = async (): Promise<void> => {
    for (let drop = 0; drop < 8; drop++) {
      await sleep(30);
      body.push(Buffer.from('x'));
    }
    body.finish();
  };
  const [bytes] = await Promise.all([readBody(body), drip()]);
  assert.equal(bytes.length, 8);
});

test('a body cut before its announced end is short, and both counts are named', async (t) => {
  const answer = await answerOf(t, (response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('12345', () => response.socket?.end());
  });
  await assert.rejects(readBody(answer.body), {
    code: 'short_body',
    message: /5 of the 100 announced bytes/,
  });
});

test('a connection reset in the middle of a body is reset', async (t) => {
  let socket: Socket | null = null;
  const answer = await answerOf(t, (response) => {
    socket = response.socket;
    response.writeHead(200, { 'content-length': '100' });
    response.write('12345');
  });
  await assert.rejects(
    async () => {
      for await (const chunk of answer.body) if (chunk.length > 0) socket?.resetAndDestroy();
    },
    { code: 'reset' },
  );
});

test('a chunked body without its end is reset', async (t) => {
  const answer = await answerOf(t, (response) => response.write('12345', () => response.socket?.end()));
  await assert.rejects(readBody(answer.body), { code: 'reset', message: /after 5 bytes/ });
});

test('a body that nobody wants frees its connection, a long one by breaking it', async (t) => {
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

test('destroying the body at once ends the request', async (t) => {
  const closings: Promise<unknown>[] = [];
  const answer = await answerOf(t, (response) => {
    closings.push(once(response, 'close'));
    response.write('12345');
  });
  answer.body.destroy();
  // Not ended by the answer's own end: the server never ends it.
  await Promise.all(closings);
  assert.equal(closings.length, 1);
});

test('a whole body keeps its bytes in order, however small the chunks; a longer one is broken off', async () => {
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, at) => at % 251));
  const inChunks = (size: number): WatchedBody => {
    const source = { pause: () => {}, resume: () => {}, abort: () => {} };
    const body = new WatchedBody(source, { name: 'x', stallTimeoutMs: 1000, announced: undefined });
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
