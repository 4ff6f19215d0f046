import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { retryDelayMs } from '../../src/base/backoff.js';

const attempts = fc.integer({ min: 1, max: 5000 });
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('a delay is never negative, never past 30 s, and whole', () => {
  fc.assert(
    fc.property(attempts, randoms, (attempt, random) => {
      const ms = retryDelayMs(attempt, random);
      return Number.isInteger(ms) && ms >= 0 && ms < 30_000;
    }),
  );
});

test('the same chance never waits less at a later attempt', () => {
  fc.assert(fc.property(attempts, randoms, (n, r) => retryDelayMs(n + 1, r) >= retryDelayMs(n, r)));
});

test('the bound begins at 250 ms, doubles, and the jitter goes down to nothing', () => {
  const almostOne = 1 - Number.EPSILON;
  assert.deepEqual(
    [1, 2, 3, 7, 8, 9].map((n) => retryDelayMs(n, almostOne)),
    [249, 499, 999, 15_999, 29_999, 29_999],
  );
  assert.equal(retryDelayMs(5, 0), 0);
});
