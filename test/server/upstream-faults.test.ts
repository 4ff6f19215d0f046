import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BUSY, sandboxAndFolder } from '../helpers/sandbox.js';
import { listCachedFiles } from '../raw-feeds/replaying.js';
import { ask, serveHere, withOptions } from './serving.js';
import { hear } from './socket/connecting.js';

test('no endpoint ends a response regularly after an error in the middle', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, BUSY);
  // During a retry the available messages are sent.
  const server = await serveHere(t, service, dir, { feeds: { retries: 1 } });
  const period = { exchange: 'bitmex', from: '2024-03-01', to: '2024-03-01T00:30' };
  const query = withOptions('-normalized', { ...period, symbols: ['XBTUSD'], dataTypes: ['trade'] });
  const native = `/ws-replay?exchange=bitmex&from=${period.from}&to=${period.to}`;
  const subscribe = ['{"op":"subscribe","args":["trade:XBTUSD"]}'];
  const [whole, messages] = await Promise.all([
    ask(server.httpPort, `/replay${query}`),
    hear(server, native, subscribe),
  ]);
  assert.deepEqual([whole.isWhole, messages.code], [true, 1000]);
  const slices = await listCachedFiles(join(dir, 'cache'));
  truncateSync(join(dir, 'cache', 'feeds', slices.at(-1) ?? ''), 50);
  await service.close();

  const [{ status, text, isWhole }, normalized, replayed] = await Promise.all([
    ask(server.httpPort, `/replay${query}`),
    hear(server, `/ws-replay${query}`),
    hear(server, native, subscribe),
  ]);
  // The error may occur before the first line; the response then has its status.
  if (status === 200) {
    assert.equal(isWhole, false);
    assert.ok(whole.text.startsWith(text) && /(?:^|\n)$/.test(text));
  } else {
    assert.equal(status, 503);
  }
  const lines = whole.text.split('\n');
  for (const [received, all] of [
    [normalized, lines],
    [replayed, messages.messages],
  ] as const) {
    assert.equal(received.code, 1011, received.reason);
    assert.match(received.reason, /bitmex 2024-03-01T00:|cannot be reached/);
    assert.ok(received.messages.length < all.length - 1);
    assert.deepEqual(received.messages, all.slice(0, received.messages.length));
  }
  assert.ok(replayed.messages.length > 0);
});
