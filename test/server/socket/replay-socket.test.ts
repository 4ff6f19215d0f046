import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { BUSY, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { until } from '../../helpers/until.js';
import { countSliceRequests, replayInProcess } from '../../raw-feeds/replaying.js';
import { busySandbox, serveHere } from '../serving.js';
import { fillCache, MESSAGES_PER_MINUTE } from './cached.js';
import { connectTo, hear } from './connecting.js';

const PERIOD = 'from=2024-03-01&to=2024-03-01T00:30:00.000Z';
const PATH = `/ws-replay?exchange=bitmex&${PERIOD}`;
const subscribe = (...args: readonly string[]): string => JSON.stringify({ op: 'subscribe', args });

test('sends the exchange’s own messages of all subscriptions', async (t) => {
  const service = await busySandbox(t);
  const server = await serveHere(t, service, await tempDir(t));
  const { messages, code, reason } = await hear(server, `/WS-Replay/?exchange=BitMEX&${PERIOD}`, [
    subscribe('trade:XBTUSD'),
    'ping',
    subscribe('quote'),
  ]);
  assert.deepEqual([code, reason], [1000, 'WS replay finished']);
  const filters = [{ channel: 'trade', symbols: ['XBTUSD'] }, { channel: 'quote' }];
  const { text } = await replayInProcess(service, await tempDir(t), { filters });
  const lines = text.split('\n').slice(0, -1);
  assert.ok(lines.length > 50);
  assert.deepEqual(
    messages,
    lines.map((line) => line.slice(line.indexOf('"message":') + 10, -1)),
  );
  assert.equal(server.warnings.length, 1);
  assert.match(server.warnings[0] ?? '', /not a valid subscribe message of bitmex; .*"trade:XBTUSD"/);
});

test('a client without a subscription closes the session; other errors close at once', async (t) => {
  const service = await busySandbox(t);
  const server = await serveHere(t, service, await tempDir(t));
  // An empty session key counts as no key.
  const alone = hear(server, `${PATH}&session=`, [subscribe('trade')]);
  const closed = await Promise.all([
    hear(server, `${PATH}&session=`),
    hear(server, `${PATH}&session=b`, [subscribe('trade')]),
    hear(server, `${PATH}&session=b`, ['{"op":"subscribe"}', 'no json']),
  ]);
  for (const { code, reason, messages } of closed) {
    assert.deepEqual([code, messages.length], [1011, 0]);
    assert.match(reason, /^No subscriptions received for websocket connection/);
  }
  assert.equal((await alone).code, 1000);
  const cases: readonly (readonly [number, RegExp, string])[] = [
    [1008, /no such path: \/ws-nothing/, '/ws-nothing'],
    [1011, /"exchange" is missing/, `/ws-replay?${PERIOD}`],
    [1011, /"to" is missing/, '/ws-replay?exchange=bitmex&from=2024-03-01'],
    [1011, /"noon" is not a day or time/, '/ws-replay?exchange=bitmex&from=noon&to=2024-03-01'],
  ];
  for (const [code, reason, path] of cases) {
    const result = await hear(server, path);
    assert.equal(result.code, code);
    assert.match(result.reason, reason);
  }
  const wrong = await hear(server, PATH, [subscribe('trades')]);
  assert.deepEqual(
    [wrong.code, wrong.reason],
    [1011, 'unknown channel "trades" of bitmex; did you mean trade?'],
  );
  const unknown = await hear(server, PATH.replace('bitmex', 'bitmx'), [subscribe('trade')]);
  assert.deepEqual([unknown.code, unknown.reason], [1011, 'unknown exchange "bitmx"; did you mean bitmex?']);
  const days = await serveHere(t, service, await tempDir(t), { source: 'datasets' });
  assert.match((await hear(days, PATH)).reason, /day files do not contain the exchange's own messages/);
});

test('a connection may subscribe with up to 1 MB, and what it sends after the start is ignored', async (t) => {
  const server = await serveHere(t, await busySandbox(t), await tempDir(t));
  const long = subscribe(...Array.from({ length: 30_000 }, (_, at) => `trade:X${at}`));
  const greedy = await hear(server, PATH, [long, long, long, long]);
  assert.equal(greedy.code, 1011);
  assert.match(greedy.reason, /^subscribe messages of more than 1 MB; subscribe to whole channels instead$/);
  const client = connectTo(server, PATH, [subscribe('trade')], () => client.socket.send('help'));
  const { code, messages } = await client.heard;
  assert.equal(code, 1000);
  assert.ok(messages.length > 50);
  assert.deepEqual(server.warnings, []);
});

test('a disconnected client stops its work; a frame above the limit closes the connection', async (t) => {
  const service = await busySandbox(t, { latencyMs: 20, feeds: { suggestedMinutes: 1 } });
  const server = await serveHere(t, service, await tempDir(t), { feeds: { concurrency: 2 } });
  const day = '/ws-replay?exchange=bitmex&from=2024-03-01&to=2024-03-02';
  const leaving = connectTo(server, day, [subscribe('trade')]);
  leaving.socket.once('message', () => leaving.socket.terminate());
  const { code } = await hear(server, day, ['x'.repeat(600_000)]);
  assert.equal(code, 1009);
  await leaving.heard;
  await until('no connection', () => server.context.metrics.openSockets === 0);
  assert.ok(countSliceRequests(service) < 200, 'a whole day has 1440');
});

test('if a client leaves a session, the others get all their messages and its slices are not fetched', async (t) => {
  const service = await busySandbox(t, { latencyMs: 10, feeds: { suggestedMinutes: 1 } });
  const server = await serveHere(t, service, await tempDir(t), { feeds: { concurrency: 2 } });
  const day = '/ws-replay?exchange=deribit&from=2024-03-01&to=2024-03-02&session=a';
  const book = JSON.stringify({
    method: 'public/subscribe',
    params: { channels: ['trades.BTC-PERPETUAL.raw'] },
  });
  const leaving = connectTo(server, day, [book]);
  leaving.socket.once('message', () => leaving.socket.terminate());
  const { messages, code } = await hear(server, `${PATH}&session=a`, [subscribe('trade')]);
  await leaving.heard;
  assert.equal(code, 1000);
  const { messages: alone } = await replayInProcess(service, await tempDir(t), {
    filters: [{ channel: 'trade' }],
  });
  assert.equal(messages.length, alone);
  const sliceRequests = service.requests.filter(({ url }) => url.startsWith('/v1/data-feeds/deribit'));
  assert.ok(sliceRequests.length < 200, `${sliceRequests.length} requests; a whole day has 1440`);
});

test('a client that never reads does not fill the memory, block others or delay the end of the server', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, BUSY);
  await fillCache(join(dir, 'cache'), 'bitmex', 'trade', 60);
  const server = await serveHere(t, service, dir);
  const hour = '/ws-replay?exchange=bitmex&from=2024-03-01&to=2024-03-01T01:00';
  const stuck = connectTo(server, hour, [subscribe('trade')]);
  stuck.socket.once('open', () => stuck.socket.pause());
  const { messages, code } = await hear(server, hour, [subscribe('trade')]);
  assert.deepEqual([messages.length, code], [60 * MESSAGES_PER_MINUTE, 1000]);
  const sent = server.context.metrics.messages - messages.length;
  assert.ok(sent < 30 * MESSAGES_PER_MINUTE, `${sent} of an hour`);
  await server.close(50);
  assert.equal(server.context.metrics.openSockets, 0);
  stuck.socket.terminate();
});
