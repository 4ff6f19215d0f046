import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { startServer } from '../../../src/server/replay-server.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { until } from '../../helpers/until.js';
import { ask, busySandbox, serveHere, withOptions } from '../serving.js';

test('accepts GET and HEAD, paths in any case with or without a trailing slash, and serves health and metrics', async (t) => {
  const server = await serveHere(t, await sandbox(t), await tempDir(t));
  const { httpPort, wsPort } = server;
  assert.equal(wsPort, httpPort + 1);
  const health = JSON.parse((await ask(httpPort, '/Health-Check/')).text);
  assert.deepEqual(Object.keys(health), ['status', 'uptimeHours', 'timestampMs', 'memoryInfo']);
  assert.deepEqual(Object.keys(health.memoryInfo), ['rssMB', 'heapTotalMB', 'heapUsedMB', 'externalMB']);
  assert.equal(health.status, 'Healthy');
  assert.match((await ask(httpPort, '/metrics')).text, /^tickhaul_http_answers_open 0$/m);
  for (const path of ['/nothing', '/replay/2', '//replay', '/__proto__', '/constructor']) {
    const { status, text } = await ask(httpPort, path);
    assert.equal(status, 404, path);
    const { message } = JSON.parse(text);
    assert.ok(message.startsWith(`no such path: ${path}; valid paths: /, /replay, `), message);
    assert.match(message, /\/health-check, \/metrics; WebSocket, on the next port: \/ws-replay, /);
  }
  assert.ok((await ask(httpPort, `/${'x'.repeat(9000)}`)).text.length < 500);
  for (const path of ['/health-check', '/metrics', '/', '/page/server', '/v1/instruments/deribit']) {
    const [get, head] = [await ask(httpPort, path), await ask(httpPort, path, { method: 'HEAD' })];
    assert.deepEqual([head.status, head.text], [200, ''], path);
    assert.equal(head.headers['content-type'], get.headers['content-type']);
    assert.match(String(head.headers['content-length']), /^\d+$/);
    for (const method of ['POST', 'OPTIONS', 'DELETE']) {
      const { status, headers, text } = await ask(httpPort, path, { method });
      assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD'], method);
      assert.match(JSON.parse(text).message, new RegExp(`does not support ${method}; use GET, HEAD$`));
    }
  }
  for (const path of ['/replay', '/replay-normalized']) {
    const { status, headers } = await ask(httpPort, path, { method: 'HEAD' });
    assert.deepEqual([status, headers['allow']], [405, 'GET'], path);
  }
  assert.equal((await ask(httpPort, '/nothing', { method: 'HEAD' })).status, 404);
  const { status: upgrade, headers: upgradeHeaders, text } = await ask(wsPort, '/ws-replay');
  assert.deepEqual([upgrade, upgradeHeaders['upgrade']], [426, 'websocket']);
  assert.match(JSON.parse(text).message, /WebSocket only: \/ws-replay, .*HTTP is on the previous port/);
  assert.equal((await ask(httpPort, `/replay?options=${'x'.repeat(70_000)}`)).status, 431);
  assert.match(server.log.join('\n'), /^GET \/Health-Check\/ 200 \d+ms$/m);
});

test('refuses foreign origins and hosts unless they are allowed', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const allowOrigins = ['https://desk.example'];
  const { httpPort } = await serveHere(t, service, dir, { allowOrigins });
  const status = async (path: string, headers: Record<string, string>): Promise<number> =>
    (await ask(httpPort, path, { headers })).status;
  const health = '/health-check';
  assert.equal(await status(health, { origin: 'https://evil.example' }), 403);
  assert.equal(await status(health, { origin: 'null' }), 403);
  assert.equal(await status(health, { 'sec-fetch-site': 'cross-site' }), 403);
  assert.equal(await status(health, { origin: `http://127.0.0.1:${httpPort}` }), 200);
  assert.equal(await status(health, { origin: 'http://localhost:3000' }), 200);
  assert.equal(await status(health, { origin: 'https://desk.example' }), 200);
  assert.equal(await status(health, { host: 'tickhaul:8000' }), 200);
  for (const [origin, allowed] of [
    ['https://desk.example', 'https://desk.example'],
    ['http://localhost:3000', undefined],
  ] as const) {
    const { headers } = await ask(httpPort, health, { headers: { origin } });
    assert.equal(headers['access-control-allow-origin'], allowed);
  }
  const lan = { host: '192.168.1.5:8001' };
  assert.equal(await status(health, { ...lan, origin: 'http://192.168.1.5:8000' }), 200);
  assert.equal(await status(health, { ...lan, origin: 'http://192.168.1.5:3000' }), 403);
  assert.equal(await status(health, { host: '192.168.1.5:81', origin: 'http://192.168.1.5' }), 200);
  assert.equal(await status(health, { ...lan, origin: 'http://192.168.1.6:8000' }), 403);
  // A foreign name that resolves to this server (DNS rebinding) must be refused.
  const replay = '/replay?options=1';
  for (const host of [
    'evil.example',
    'evil.example:8000',
    'tickhaul.evil.example',
    '127.0.0.1.evil.example',
    'a b',
  ]) {
    for (const path of ['/', '/replay-normalized', replay])
      assert.equal(await status(path, { host }), 403, host);
    assert.equal(await status(health, { host }), 200, host);
  }
  for (const host of [
    'localhost',
    `127.0.0.1:${httpPort}`,
    `[::1]:${httpPort}`,
    '192.168.1.5:8000',
    'LOCALHOST.:8000',
    'tickhaul:8000',
    'tickhaul_1:8000',
    'host.docker.internal:8000',
    'tickhaul.data.svc.cluster.local:8000',
    'nas.home.arpa',
    'desk.example',
    hostname(),
  ]) {
    assert.equal(await status(replay, { host }), 400, host);
  }
  assert.equal(await status('/', { host: 'evil.example' }), 403);
  assert.equal(await status('/', { host: 'tickhaul:8000' }), 403);
  assert.equal(await status('/', { host: `localhost:${httpPort}` }), 200);
});

test('a target in absolute form is its path, and its host counts', async (t) => {
  const { httpPort, log } = await serveHere(t, await sandbox(t), await tempDir(t));
  const own = `http://127.0.0.1:${httpPort}`;
  const status = async (target: string, host?: string): Promise<number> =>
    (await ask(httpPort, target, host === undefined ? {} : { headers: { host } })).status;
  assert.equal(await status(`${own}/health-check`), 200);
  assert.equal(await status(`HTTP://LOCALHOST:${httpPort}/Health-Check/?x=1`), 200);
  assert.equal(await status(own), 200);
  assert.equal(await status(`${own}?x`), 200);
  assert.equal(await status(`${own}/replay?options=1`), 400);
  assert.equal(await status(`${own}/replay?options=1`, 'evil.example'), 400);
  assert.equal(await status('http://evil.example/replay?options=1'), 403);
  assert.equal(await status('http:///health-check'), 404);
  assert.equal(await status('ftp://127.0.0.1/health-check'), 404);
  assert.match(log.join('\n'), /^GET \/health-check 200 \d+ms$/m);
});

test('localhost is both addresses of loopback, on both ports', async (t) => {
  const service = await sandbox(t);
  const server = await serveHere(t, service, await tempDir(t), { host: 'localhost' });
  const { httpPort, wsPort, context } = server;
  const hosts = (await hasIpv6()) ? ['127.0.0.1', '::1'] : ['127.0.0.1'];
  for (const host of hosts) {
    const { status, text } = await ask(httpPort, '/replay?options=1', { host });
    assert.deepEqual([status, JSON.parse(text).message.length > 0], [400, true], host);
    // The page of the server itself, under the name that the client uses.
    const origin = `http://${host.includes(':') ? `[${host}]` : host}:${httpPort}`;
    assert.equal((await ask(httpPort, '/page/server', { host, headers: { origin } })).status, 200, host);
    assert.equal((await ask(wsPort, '/ws-replay', { host })).status, 426);
    const socket = new WebSocket(`${origin.replace('http', 'ws').replace(/\d+$/, '')}${wsPort}/nothing`);
    const [code] = await once(socket, 'close');
    assert.equal(code, 1008);
  }
  await assert.rejects(startServer({ ...context.options, port: httpPort }), { code: 'usage' });
  await server.close(0);
  for (const port of [httpPort, wsPort])
    for (const host of hosts) assert.ok(await isFree(port, host), `${host} ${port}`);
});

test('a port that is in use on one address of localhost is a usage error, and nothing listens', async (t) => {
  if (!(await hasIpv6())) return t.skip('no IPv6 here');
  const { context } = await serveHere(t, await sandbox(t), await tempDir(t), { host: 'localhost' });
  for (const taken of ['127.0.0.1', '::1']) {
    for (const offset of [0, 1]) {
      const other = createServer().listen(0, taken);
      await once(other, 'listening');
      cleanUp(t, () => other.close());
      const { port } = other.address() as AddressInfo;
      const httpPort = port - offset;
      await assert.rejects(startServer({ ...context.options, host: 'localhost', port: httpPort }), {
        code: 'usage',
        message: /^port \d+ of (127\.0\.0\.1|::1) is in use/,
      });
      const free = taken === '::1' ? '127.0.0.1' : '::1';
      assert.ok(await isFree(port, free));
    }
  }
});

test('127.0.0.1 and ::1 are one address each', async (t) => {
  if (!(await hasIpv6())) return t.skip('no IPv6 here');
  const service = await sandbox(t);
  for (const [host, other] of [
    ['127.0.0.1', '::1'],
    ['::1', '127.0.0.1'],
  ] as const) {
    const { httpPort } = await serveHere(t, service, await tempDir(t), { host });
    assert.equal((await ask(httpPort, '/health-check', { host })).status, 200);
    await assert.rejects(ask(httpPort, '/health-check', { host: other }), { code: 'ECONNREFUSED' });
  }
});

async function hasIpv6(): Promise<boolean> {
  return isFree(0, '::1');
}

test('a port in use is a usage error that names it, also if only the next port is in use', async (t) => {
  const service = await sandbox(t);
  let server = await serveHere(t, service, await tempDir(t));
  // Another process may use the port before.
  while (!(await isFree(server.httpPort - 1))) server = await serveHere(t, service, await tempDir(t));
  const { httpPort, context } = server;
  for (const port of [httpPort, httpPort - 1]) {
    await assert.rejects(startServer({ ...context.options, port }), {
      code: 'usage',
      message: new RegExp(`^port ${httpPort} of 127\\.0\\.0\\.1 is in use`),
    });
  }
  await assert.rejects(startServer({ ...context.options, host: 'no.such.host.invalid' }), { code: 'usage' });
});

async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((closed) => probe.close(closed));
  }
}

test('close waits for open responses and aborts them after the grace period', async (t) => {
  const service = await sandbox(t, { latencyMs: 600_000 });
  const server = await serveHere(t, service, await tempDir(t));
  const options = { exchange: 'bitmex', from: '2024-03-01', to: '2024-03-02' };
  const responsePromise = ask(server.httpPort, withOptions('/replay', options));
  // Wait until the response is in progress.
  await until('an open response', () => server.context.metrics.openHttp > 0);
  await server.close(50);
  assert.equal((await responsePromise).status, 503);
});

test('close lets an open compressed response complete', async (t) => {
  const server = await serveHere(t, await busySandbox(t), await tempDir(t), { isCompressed: true });
  const options = { exchange: 'bitmex', from: '2024-03-01', to: '2024-03-01T00:10' };
  const headers = { 'accept-encoding': 'gzip' };
  const responsePromise = ask(server.httpPort, withOptions('/replay', options), { headers });
  await until('an open response', () => server.context.metrics.openHttp > 0);
  await server.close(60_000);
  const { status, isWhole, body } = await responsePromise;
  assert.deepEqual([status, isWhole], [200, true]);
  assert.match(gunzipSync(body).toString(), /^\{"localTimestamp":.*\}\n$/s);
});

test('handles pipelined requests in order and aborts them when the connection closes', async (t) => {
  const service = await sandbox(t, { latencyMs: 600_000 });
  const { httpPort, context } = await serveHere(t, service, await tempDir(t));
  const options = { exchange: 'bitmex', from: '2024-03-01', to: '2024-03-02' };
  const socket = connect(httpPort, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  const replays = Array.from({ length: 20 }, () => withOptions('/replay', options));
  for (const path of ['/health-check', '/metrics', ...replays]) {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  }
  await until(
    'two answers and a replay',
    () => /Healthy.*tickhaul_uptime/s.test(received) && context.metrics.openHttp > 0,
  );
  assert.equal(context.metrics.openHttp, 1);
  socket.destroy();
  await until('the end of the replay', () => context.metrics.openHttp === 0);
});
