import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldHoles } from '../../../../src/describe/coverage/page/browser/fold.js';

test('a folded hole has a fifth of the width of the days with data, and positions map back to days', () => {
  const days = [0, 1, 2, 3, 4, 2446, 2447, 2448, 2449, 2450];
  const { holes, position, dayAt, ticks } = foldHoles(days);
  assert.deepEqual(holes, [{ first: 5, last: 2445, start: 5, end: 7 }]);
  assert.deepEqual([...days, 5].map(position), [0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 5]);
  for (const day of days) assert.equal(dayAt(position(day) + 0.5), day);
  assert.deepEqual([-1, 5, 6.5].map(dayAt), [-1, 5, 5]);
  assert.deepEqual(ticks(0, 11, 2), [0, 2, 7, 9, 11]);
  assert.deepEqual(ticks(0, 11, 6), [0, 7]);
  assert.deepEqual(ticks(8, 11, 1), [8, 9, 10, 11]);
});

test('folds several holes', () => {
  const { holes, position, dayAt, ticks } = foldHoles([0, 1000, 2000]);
  assert.deepEqual(
    holes.map(({ start, end }) => [start, end]),
    [
      [1, 2],
      [3, 4],
    ],
  );
  assert.deepEqual([0, 1000, 2000].map(position), [0, 2, 4]);
  assert.deepEqual([0, 2, 4].map(dayAt), [0, 1000, 2000]);
  assert.deepEqual(ticks(0, 4, 1), [0, 2, 4]);
  assert.deepEqual(ticks(0, 4, 6), [0, 4]);
});

test('does not fold short holes, such as monthly days', () => {
  const monthly = Array.from({ length: 80 }, (_, month) => month * 30);
  for (const days of [monthly, [0, 61], [], [7]]) {
    const { holes, position, dayAt } = foldHoles(days);
    assert.deepEqual(holes, []);
    for (const day of days) assert.deepEqual([position(day), dayAt(day)], [day, day]);
  }
});
