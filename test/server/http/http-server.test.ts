import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startServer } from '../../../src/server/replay-server.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { ask, busySandbox, serveHere, withOptions } from '../serving.js';

test('accepts GET only, paths in any case with or without a trailing slash, and serves health and metrics', async (t) => {
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
    assert.deepEqual([status, text], [404, ''], path);
  }
  for (const method of ['HEAD', 'POST', 'OPTIONS']) {
    assert.equal((await ask(httpPort, '/health-check', { method })).status, 404, method);
  }
  const { status: upgrade, headers: upgradeHeaders } = await ask(wsPort, '/ws-replay');
  assert.deepEqual([upgrade, upgradeHeaders['upgrade']], [426, 'websocket']);
  assert.equal((await ask(httpPort, `/replay?options=${'x'.repeat(70_000)}`)).status, 431);
  assert.match(server.log.join('\n'), /^GET \/Health-Check\/ 200 \d+ms$/m);
});

test('refuses foreign origins and hosts unless they are allowed', async (t) => {
  const service = await sandbox(t);
  const dir = await tempDir(t);
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

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((closed) => probe.close(closed));
  }
}

test('idle clients do not block others', async (t) => {
  const { httpPort } = await serveHere(t, await sandbox(t), await tempDir(t));
  const idle = Array.from({ length: 200 }, () => connect(httpPort, '127.0.0.1'));
  cleanUp(t, () => {
    for (const socket of idle) socket.destroy();
  });
  await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  idle[0]?.write('GET /replay HTTP/1.1\r\nHost: loc');
  assert.equal((await ask(httpPort, '/health-check')).status, 200);
});

test('close waits for open responses and aborts them after the grace period', async (t) => {
  const service = await sandbox(t, { latencyMs: 600_000 });
  const server = await serveHere(t, service, await tempDir(t));
  const options = { exchange: 'bitmex', from: '2024-03-01', to: '2024-03-02' };
  const responsePromise = ask(server.httpPort, withOptions('/replay', options));
  // Wait until the response is in progress.
  while (server.context.metrics.openHttp === 0) await new Promise((resolve) => setImmediate(resolve));
  await server.close(50);
  assert.equal((await responsePromise).status, 503);
});

test('close lets an open compressed response complete', async (t) => {
  const server = await serveHere(t, await busySandbox(t), await tempDir(t), { isCompressed: true });
  const options = { exchange: 'bitmex', from: '2024-03-01', to: '2024-03-01T00:10' };
  const headers = { 'accept-encoding': 'gzip' };
  const responsePromise = ask(server.httpPort, withOptions('/replay', options), { headers });
  while (server.context.metrics.openHttp === 0) await new Promise((resolve) => setImmediate(resolve));
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
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  while (!/Healthy.*tickhaul_uptime/s.test(received) || context.metrics.openHttp === 0) await nextTurn();
  assert.equal(context.metrics.openHttp, 1);
  socket.destroy();
  while (context.metrics.openHttp > 0) await nextTurn();
});
