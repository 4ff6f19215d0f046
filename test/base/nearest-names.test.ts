import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestNames } from '../../src/base/text.js';

test('returns the nearest names first, and none if none is near', () => {
  const known = ['binance', 'binance-futures', 'bitmex', 'deribit'];
  assert.deepEqual(nearestNames('binanse', known), ['binance']);
  assert.deepEqual(nearestNames('binance-fut', known), ['binance-futures']);
  assert.deepEqual(nearestNames('Deribt', known), ['deribit']);
  assert.deepEqual(nearestNames('xyz', known), []);
});
