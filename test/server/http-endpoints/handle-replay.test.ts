import assert from 'node:assert/strict';
import { once } from 'node:events';
import { truncateSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { BUSY, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { until } from '../../helpers/until.js';
import {
  assertWholeLines,
  countSliceRequests,
  listCachedFiles,
  replayInProcess,
} from '../../raw-feeds/replaying.js';
import { ask, busySandbox, serveHere, withOptions } from '../serving.js';

const PERIOD = { from: '2024-03-01T00:00:00.000Z', to: '2024-03-01T00:30:00.000Z' };
const TRADES = { exchange: 'bitmex', filters: [{ channel: 'trade', symbols: ['XBTUSD'] }], ...PERIOD };

/**
 * Sends an HTTP/1.0 request, as some proxies do, and reads until the connection closes. It reads byte by byte, since
 * libuv reports a regular end if a reset arrives together with several bytes; other clients see the reset.
 */
async function askHttp10(port: number, path: string) {
  const bytes: number[] = [];
  let error: NodeJS.ErrnoException | undefined;
  const buffer = Buffer.alloc(1);
  const callback = (_count: number, [byte = 0]: Uint8Array): boolean => bytes.push(byte) > 0;
  const socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback } });
  socket.on('error', (thrown) => {
    error = thrown;
  });
  socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
  await new Promise((resolve) => socket.once('close', resolve));
  const text = Buffer.from(bytes).toString();
  return { text: text.slice(text.indexOf('\r\n\r\n') + 4), error };
}

test('sends the exchange’s own messages like the command, the second time from the cache', async (t) => {
  const service = await busySandbox(t);
  const server = await serveHere(t, service, await tempDir(t));
  const answer = await ask(server.httpPort, withOptions('/replay', TRADES));
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'application/x-json-stream');
  assert.equal(answer.headers['content-encoding'], undefined);
  assertWholeLines(answer.text);
  const { text } = await replayInProcess(service, await tempDir(t), { filters: TRADES.filters });
  assert.equal(answer.text, text);
  const requestsBefore = countSliceRequests(service);
  assert.equal((await ask(server.httpPort, withOptions('/Replay/', TRADES))).text, text);
  assert.equal(countSliceRequests(service), requestsBefore);
  const { messages, bytes, openHttp } = server.context.metrics;
  assert.deepEqual([messages, bytes, openHttp], [2 * (text.split('\n').length - 1), 2 * text.length, 0]);
  assert.deepEqual(server.warnings, []);
});

test('disconnects are empty lines if requested; a period below a minute is empty', async (t) => {
  const service = await busySandbox(t, { feeds: { breaks: 0.5 } });
  const server = await serveHere(t, service, await tempDir(t));
  const all = { exchange: 'bitmex', ...PERIOD };
  const plain = await ask(server.httpPort, withOptions('/replay', all));
  const marked = await ask(server.httpPort, withOptions('/replay', { ...all, withDisconnects: true }));
  assert.doesNotMatch(plain.text, /\n\n/);
  assert.match(marked.text, /\n\n/);
  assert.equal(marked.text.replace(/\n\n/g, '\n').replace(/^\n/, ''), plain.text);
  for (const to of ['2024-03-01T00:00:00Z', '2024-03-01T00:00:59Z']) {
    const { status, text } = await ask(server.httpPort, withOptions('/replay', { ...TRADES, to }));
    assert.deepEqual([status, text], [200, '']);
  }
});

test('invalid requests get a status and a message; unknown fields are logged once', async (t) => {
  const server = await serveHere(t, await busySandbox(t), await tempDir(t), { apiKey: undefined });
  const cases: readonly (readonly [number, RegExp, string])[] = [
    [400, /expected an object, found a list/, withOptions('/replay', [1])],
    [400, /"filters": expected a list/, withOptions('/replay', { ...TRADES, filters: 'trade' })],
    [
      400,
      /"symbols": expected a list of texts/,
      withOptions('/replay', { ...TRADES, filters: [{ channel: 'trade', symbols: [1] }] }),
    ],
    [
      400,
      /unknown channel "trades" of bitmex; did you mean trade\?/,
      withOptions('/replay', { ...TRADES, filters: [{ channel: 'trades' }] }),
    ],
    [400, /unknown exchange "bitmx"/, withOptions('/replay', { ...TRADES, exchange: 'bitmx' })],
    [400, /from: "noon" is not a day or time/, withOptions('/replay', { ...TRADES, from: 'noon' })],
    [400, /is after now/, withOptions('/replay', { ...TRADES, to: '2999-01-01' })],
    [400, /is not in UTC/, withOptions('/replay', { ...TRADES, from: '2024-03-01T00:00+02:00' })],
    [401, /needs an API key/, withOptions('/replay', { ...TRADES, from: '2024-03-02', to: '2024-03-03' })],
  ];
  for (const [status, message, path] of cases) {
    const answer = await ask(server.httpPort, path);
    assert.equal(answer.status, status, answer.text);
    assert.match(JSON.parse(answer.text).message, message);
    assert.match(String(answer.headers['content-type']), /json/);
  }
  for (let times = 0; times < 2; times++) {
    const { status } = await ask(
      server.httpPort,
      withOptions('/replay', { ...TRADES, fliters: [], to: '2024-03-01' }),
    );
    assert.equal(status, 200);
  }
  assert.deepEqual(server.warnings, ['options: "fliters" is ignored; did you mean filters?']);
});

test('a refusal of the service keeps its status; missing data offline and an unreachable service are 503', async (t) => {
  for (const [fault, status] of [
    ['ip-lock', 403],
    ['transfer-limit', 429],
    ['500', 503],
  ] as const) {
    const service = await busySandbox(t, { feeds: { faults: { [fault]: 1 } } });
    const { httpPort } = await serveHere(t, service, await tempDir(t), { feeds: { retries: 0 } });
    const answer = await ask(httpPort, withOptions('/replay', TRADES));
    assert.equal(answer.status, status, answer.text);
  }
  const { service, dir } = await sandboxAndFolder(t, BUSY);
  const wrong = await serveHere(t, service, dir, { apiKey: 'wrong' });
  const later = { ...TRADES, from: '2024-03-02', to: '2024-03-03' };
  assert.equal((await ask(wrong.httpPort, withOptions('/replay', later))).status, 401);
  const offline = await serveHere(t, service, dir, { feeds: { offline: true } });
  assert.equal((await ask(offline.httpPort, withOptions('/replay', TRADES))).status, 503);
  const server = await serveHere(t, service, dir, { feeds: { retries: 0 } });
  await service.close();
  const { status, text } = await ask(server.httpPort, withOptions('/replay', TRADES));
  assert.equal(status, 503, text);
});

test('an error after the first line cuts the connection after a complete line', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, BUSY);
  // During a retry the available messages are sent.
  const server = await serveHere(t, service, dir, { feeds: { retries: 1 } });
  const path = withOptions('/replay', TRADES);
  const whole = await ask(server.httpPort, path);
  // An HTTP/1.0 response ends with its connection.
  const old = await askHttp10(server.httpPort, path);
  assert.deepEqual([old.text, old.error], [whole.text, undefined]);
  const slices = await listCachedFiles(join(dir, 'cache'));
  const last = join(dir, 'cache', 'feeds', slices.at(-1) ?? '');
  truncateSync(last, 50);
  await service.close();
  const { status, text, isWhole } = await ask(server.httpPort, path);
  assert.deepEqual([status, isWhole], [200, false]);
  assertWholeLines(text);
  assert.ok(text.length > 0 && whole.text.startsWith(text));
  const { error } = await askHttp10(server.httpPort, path);
  assert.equal(error?.code, 'ECONNRESET');
  assert.match(server.warnings.join('\n'), /\/replay: cut off: bitmex 2024-03-01T00:/);
});

test('concurrent clients with the same request share the slices, and none holds memory at the end', async (t) => {
  const service = await busySandbox(t, { latencyMs: 5 });
  const alone = await serveHere(t, service, await tempDir(t));
  const path = withOptions('/replay', TRADES);
  const { text } = await ask(alone.httpPort, path);
  const once = countSliceRequests(service);
  const server = await serveHere(t, service, await tempDir(t));
  const room = server.context.run.texts.left;
  const first = Array.from({ length: 10 }, () => ask(server.httpPort, path));
  // Some clients start while others are in the middle.
  await until('some slices', () => countSliceRequests(service) >= once + 3);
  const later = Array.from({ length: 10 }, () => ask(server.httpPort, path));
  for (const answer of await Promise.all([...first, ...later])) assert.equal(answer.text, text);
  assert.equal(countSliceRequests(service), 2 * once);
  assert.equal(server.context.run.texts.left, room);
});

test('a disconnected client stops its work, but not that of others with the same request', async (t) => {
  const service = await busySandbox(t, { latencyMs: 20, feeds: { suggestedMinutes: 1 } });
  const server = await serveHere(t, service, await tempDir(t), { feeds: { concurrency: 2 } });
  const path = withOptions('/replay', { exchange: 'bitmex', from: '2024-03-01', to: '2024-03-02' });
  const leave = async (): Promise<void> => {
    const sent = request({ host: '127.0.0.1', port: server.httpPort, path, agent: false });
    sent.on('error', () => {});
    sent.end();
    const [response] = await once(sent, 'response');
    await once(response, 'data');
    sent.destroy();
  };
  const staying = ask(server.httpPort, withOptions('/replay', { exchange: 'bitmex', ...PERIOD }));
  await Promise.all([leave(), leave()]);
  assert.equal((await staying).isWhole, true);
  await until('no connection', () => server.context.metrics.openHttp === 0);
  assert.ok(countSliceRequests(service) < 200, 'a whole day has 1440');
});
