import assert from 'node:assert/strict';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcp } from 'node:net';
import { type TestContext, test } from 'node:test';
import { readBody } from '../../src/http/watched-body.js';
import { sendGet } from '../../src/service/send-request.js';
import { cleanUp } from '../helpers/clean-up.js';
import { makeTunnels } from '../helpers/connect-proxy.js';
import { clientFor, listen, serve } from './loopback.js';

interface Proxy {
  readonly url: string;
  /** Request lines, `GET http://…` or `CONNECT host:port`, with the credentials. */
  readonly requestLines: string[];
}

async function startProxy(t: TestContext, refuse?: number): Promise<Proxy> {
  const requestLines: string[] = [];
  const server = createServer((request, response) => {
    requestLines.push(
      `${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim(),
    );
    if (refuse !== undefined) return response.writeHead(refuse).end();
    const onward = forward(String(request.url), { headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    return onward.end();
  });
  makeTunnels(server, requestLines, refuse);
  return { url: await listen(t, server), requestLines };
}

const hello = (t: TestContext): Promise<string> => serve(t, (_, response) => response.end('hello'));

test('a proxy receives several requests for http addresses with absolute URLs', async (t) => {
  const [base, proxy] = [await hello(t), await startProxy(t)];
  const env = { HTTP_PROXY: proxy.url.replace('http://', 'http://user:pass@') };
  const client = clientFor(t, base, { env });
  for (const path of ['/a', '/b']) {
    const answer = await sendGet(client, base + path, {}, undefined);
    assert.equal((await readBody(answer.body)).toString(), 'hello');
  }
  const login = `Basic ${Buffer.from('user:pass').toString('base64')}`;
  assert.deepEqual(proxy.requestLines, [`GET ${base}/a ${login}`, `GET ${base}/b ${login}`]);
});

test('NO_PROXY bypasses the proxy', async (t) => {
  const [base, proxy] = [await hello(t), await startProxy(t)];
  const env = { HTTP_PROXY: proxy.url, NO_PROXY: 'example.com, 127.0.0.1' };
  const answer = await sendGet(clientFor(t, base, { env }), base, {}, undefined);
  assert.equal((await readBody(answer.body)).toString(), 'hello');
  assert.deepEqual(proxy.requestLines, []);
});

test('HTTPS_PROXY is used for a tunnel, and the error shows its refusal', async (t) => {
  const proxy = await startProxy(t, 403);
  const client = clientFor(t, 'https://data.example', { env: { HTTPS_PROXY: proxy.url } });
  await assert.rejects(sendGet(client, 'https://data.example/x', {}, undefined), {
    code: 'unreachable',
    message: /data\.example cannot be reached: the proxy answered 403/,
  });
  assert.deepEqual(proxy.requestLines, ['CONNECT data.example:443']);
});

test('the error shows that a proxy requires a password', async (t) => {
  const proxy = await startProxy(t, 407);
  const client = clientFor(t, 'http://data.example', { env: { HTTP_PROXY: proxy.url } });
  await assert.rejects(sendGet(client, 'http://data.example/x', {}, undefined), {
    code: 'unreachable',
    message: /the proxy answered 407/,
  });
});

test('a proxy that closes the connection on CONNECT is an error after one attempt', async (t) => {
  let connections = 0;
  const server = createTcp((socket) => {
    connections++;
    socket.once('data', () => socket.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => server.close());
  const HTTPS_PROXY = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = clientFor(t, 'https://data.example', { env: { HTTPS_PROXY } });
  await assert.rejects(sendGet(client, 'https://data.example/x', {}, undefined), {
    code: 'unreachable',
    message: /the proxy closed the connection/,
  });
  assert.equal(connections, 1);
});

test('a server without TLS is unreachable', async (t) => {
  const server = createTcp((socket) => socket.end('SSH-2.0-hello\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => server.close());
  const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await assert.rejects(sendGet(clientFor(t, base), base, {}, undefined), { code: 'unreachable' });
});
