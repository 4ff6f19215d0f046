import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onAbort, wait } from '../../src/base/wait.js';

test('a wait longer than the maximum of a timer does not end at once', async () => {
  const stop = new AbortController();
  const long = wait(2 ** 31 + 5, stop.signal);
  const first = await Promise.race([long.then(() => 'long'), wait(50).then(() => 'short')]);
  stop.abort();
  await assert.rejects(long, { code: 'interrupted' });
  assert.equal(first, 'short');
});

test('onAbort calls back once, also if the signal is already aborted, but not after its removal', () => {
  const stop = new AbortController();
  const done: string[] = [];
  onAbort(stop.signal, () => done.push('in time'));
  const leave = onAbort(stop.signal, () => done.push('left'));
  leave();
  stop.abort();
  onAbort(stop.signal, () => done.push('late'));
  assert.deepEqual(done, ['in time', 'late']);
});
