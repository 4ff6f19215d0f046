import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import { yieldToEventLoop } from '../../../src/base/wait.js';
import { RemoteMutex } from '../../../src/server/cluster/remote-mutex.js';

const GONE = new TickhaulError('terminated', 'gone');

test('holders of one name follow each other and get the previous note; other names are independent', async () => {
  const turns = new RemoteMutex();
  const [one, other] = [new AbortController().signal, new AbortController().signal];
  assert.equal(await turns.acquire('a', one), undefined);
  assert.equal(await turns.acquire('b', other), undefined);
  const order: string[] = [];
  const waiting = turns.acquire('a', other).then((note) => order.push(`other ${note}`));
  await yieldToEventLoop();
  // Another worker cannot release the lock.
  turns.release('a', other, 3);
  await yieldToEventLoop();
  order.push('one');
  turns.release('a', one, 7);
  await waiting;
  assert.deepEqual(order, ['one', 'other 7']);
});

test('a worker that has ended releases its locks and stops waiting', async () => {
  const turns = new RemoteMutex();
  const [one, other, last] = [new AbortController(), new AbortController(), new AbortController()];
  await turns.acquire('a', one.signal);
  let hasHad = false;
  void turns.acquire('a', other.signal).then(() => {
    hasHad = true;
  });
  const taking = turns.acquire('a', last.signal);
  other.abort(GONE);
  one.abort(GONE);
  assert.equal(await taking, undefined);
  assert.equal(hasHad, false);
});
