import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { countSliceRequests, replayInProcess } from '../../feeds/replaying.js';
import { tempDir } from '../../helpers/temp.js';
import { busySandbox, serveHere } from '../serving.js';
import { A_MINUTE, fillCache } from './cached.js';
import { connectTo, hear } from './connecting.js';

const PERIOD = 'from=2024-03-01&to=2024-03-01T00:30:00.000Z';
const PATH = `/ws-replay?exchange=bitmex&${PERIOD}`;
const subscribe = (...args: readonly string[]): string => JSON.stringify({ op: 'subscribe', args });

test('messages as the exchange sent them, of what was subscribed, in several messages', async (t) => {
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

test('who subscribes to nothing ends the session; other mistakes are said at once', async (t) => {
  const service = await busySandbox(t);
  const server = await serveHere(t, service, await tempDir(t));
  // An empty key is none.
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
    const heard = await hear(server, path);
    assert.equal(heard.code, code);
    assert.match(heard.reason, reason);
  }
  const wrong = await hear(server, PATH, [subscribe('trades')]);
  assert.deepEqual(
    [wrong.code, wrong.reason],
    [1011, 'unknown channel "trades" of bitmex; did you mean trade?'],
  );
  const unknown = await hear(server, PATH.replace('bitmex', 'bitmx'), [subscribe('trade')]);
  assert.deepEqual([unknown.code, unknown.reason], [1011, 'unknown exchange "bitmx"; did you mean bitmex?']);
  const days = await serveHere(t, service, await tempDir(t), { source: 'datasets' });
  assert.match((await hear(days, PATH)).reason, /day files hold no exchange's own messages/);
});

test('a client that leaves stops its work; a frame beyond the limit closes it', async (t) => {
  const service = await busySandbox(t, { latencyMs: 20, feeds: { suggestedMinutes: 1 } });
  const server = await serveHere(t, service, await tempDir(t), { feeds: { concurrency: 2 } });
  const day = '/ws-replay?exchange=bitmex&from=2024-03-01&to=2024-03-02';
  const leaving = connectTo(server, day, [subscribe('trade')]);
  leaving.socket.once('message', () => leaving.socket.terminate());
  const { code } = await hear(server, day, ['x'.repeat(600_000)]);
  assert.equal(code, 1009);
  await leaving.heard;
  while (server.serving.metrics.openSockets > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(countSliceRequests(service) < 200, 'a whole day has 1440');
});

test('of a session that one leaves, the others have all that is theirs, and no slice of the leaver is fetched', async (t) => {
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
  const asked = service.requests.filter(({ url }) => url.startsWith('/v1/data-feeds/deribit'));
  assert.ok(asked.length < 200, `${asked.length} requests; a whole day has 1440`);
});

test('a client that never reads is sent no more than it takes, holds up no other, and not the server’s end', async (t) => {
  const service = await busySandbox(t);
  const dir = await tempDir(t);
  await fillCache(join(dir, 'cache'), 'bitmex', 'trade', 60);
  const server = await serveHere(t, service, dir);
  const hour = '/ws-replay?exchange=bitmex&from=2024-03-01&to=2024-03-01T01:00';
  const stuck = connectTo(server, hour, [subscribe('trade')]);
  stuck.socket.once('open', () => stuck.socket.pause());
  const { messages, code } = await hear(server, hour, [subscribe('trade')]);
  assert.deepEqual([messages.length, code], [60 * A_MINUTE, 1000]);
  const sent = server.serving.metrics.messages - messages.length;
  assert.ok(sent < 30 * A_MINUTE, `${sent} of an hour`);
  await server.close(50);
  assert.equal(server.serving.metrics.openSockets, 0);
  stuck.socket.terminate();
});
