import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../helpers/temp.js';
import { busySandbox, serveHere } from '../serving.js';
import { fillCache, MESSAGES_PER_MINUTE } from './cached.js';
import { connectTo, hear } from './connecting.js';

const PATH = '/ws-replay?exchange=bitmex&from=2024-03-01&to=2024-03-01T00:30:00.000Z';
const subscribe = (...args: readonly string[]): string => JSON.stringify({ op: 'subscribe', args });

test('connections of a session are merged and end together; late ones are refused', async (t) => {
  const server = await serveHere(t, await busySandbox(t), await tempDir(t));
  const one = connectTo(server, `${PATH}&session=a`, [subscribe('trade:XBTUSD')]);
  const other = connectTo(server, `${PATH}&session=a`, [subscribe('trade:ETHUSD')]);
  const alone = hear(server, PATH, [subscribe('trade')]);
  const late = new Promise<ReturnType<typeof hear>>((resolve) => {
    one.socket.once('message', () => resolve(hear(server, `${PATH}&session=a`, [subscribe('trade')])));
  });
  const [first, second, both] = await Promise.all([one.heard, other.heard, alone]);
  assert.deepEqual([first.code, second.code], [1000, 1000], `${first.reason} ${second.reason}`);
  assert.ok(first.messages.length > 10 && second.messages.length > 10);
  assert.deepEqual([...first.messages, ...second.messages].sort(), [...both.messages].sort());
  const { code, reason } = await late;
  // The late connection arrived during the session, or started a new one after its end.
  if (code === 1011) assert.match(reason, /session that already started/);
  else assert.equal(code, 1000);
});

test('replays two exchanges of a session together, each in order and none far ahead of the other', async (t) => {
  const dir = await tempDir(t);
  const minutes = 30;
  const folder = join(dir, 'cache');
  await Promise.all([
    fillCache(folder, 'bitmex', 'trade', minutes),
    fillCache(folder, 'deribit', 'trades', minutes),
  ]);
  const server = await serveHere(t, await busySandbox(t), dir);
  const at = { bitmex: 0, deribit: 0 };
  let farthest = 0;
  const follow =
    (exchange: keyof typeof at) =>
    (text: string): void => {
      const minute = Number(/^\{"minute":(\d+),/.exec(text)?.[1]);
      assert.ok(minute >= at[exchange]);
      at[exchange] = minute;
      farthest = Math.max(farthest, Math.abs(at.bitmex - at.deribit));
    };
  const trades = '{"method":"public/subscribe","params":{"channels":["trades"]}}';
  const [bitmex, deribit] = await Promise.all([
    connectTo(server, `${PATH}&session=a`, [subscribe('trade')], follow('bitmex')).heard,
    connectTo(server, `${PATH.replace('bitmex', 'deribit')}&session=a`, [trades], follow('deribit')).heard,
  ]);
  assert.deepEqual([bitmex.code, deribit.code], [1000, 1000], `${bitmex.reason} ${deribit.reason}`);
  assert.deepEqual(
    [bitmex, deribit].map(({ messages }) => messages.length),
    [minutes, minutes].map((n) => n * MESSAGES_PER_MINUTE),
  );
  // A minute is a megabyte, about as much as is in flight to a slow reader.
  assert.ok(farthest < 20, `${farthest} minutes apart`);
});
