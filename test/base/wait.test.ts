import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onAbort, wait } from '../../src/base/wait.js';
import { retryDelayMs } from '../../src/base/with-retries.js';

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

const attempts = fc.integer({ min: 1, max: 5000 });
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('a delay is an integer between 0 and 30 s', () => {
  fc.assert(
    fc.property(attempts, randoms, (attempt, random) => {
      const ms = retryDelayMs(attempt, random);
      return Number.isInteger(ms) && ms >= 0 && ms < 30_000;
    }),
  );
});

test('with the same random value, a later attempt never waits less', () => {
  fc.assert(fc.property(attempts, randoms, (n, r) => retryDelayMs(n + 1, r) >= retryDelayMs(n, r)));
});

test('the upper bound starts at 250 ms and doubles, and the jitter reaches down to 0', () => {
  const almostOne = 1 - Number.EPSILON;
  assert.deepEqual(
    [1, 2, 3, 7, 8, 9].map((n) => retryDelayMs(n, almostOne)),
    [249, 499, 999, 15_999, 29_999, 29_999],
  );
  assert.equal(retryDelayMs(5, 0), 0);
});
