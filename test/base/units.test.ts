import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  formatCount,
  formatDuration,
  formatSize,
  parseDuration,
  parseSize,
  plural,
} from '../../src/base/units.js';

test('parses durations and sizes as specified', () => {
  assert.deepEqual(['500ms', '90s', '15m', '4h'].map(parseDuration), [500, 90_000, 900_000, 14_400_000]);
  assert.deepEqual(['64KB', '20MB', '1GB', '1500', '0.5MB/s'].map(parseSize), [64e3, 20e6, 1e9, 1500, 5e5]);
  for (const text of ['', '10', 'm', '-1s', '1y', '1 s'])
    assert.throws(() => parseDuration(text), { code: 'usage' });
  for (const text of ['', '0', 'MB', '-1MB', '1XB', '0.1B'])
    assert.throws(() => parseSize(text), { code: 'usage' });
});

test('formats sizes and durations for display', () => {
  assert.deepEqual([0, 999, 1234, 99_940, 999_499, 999_500, 5e9].map(formatSize), [
    '0 B',
    '999 B',
    '1.2 kB',
    '99.9 kB',
    '999 kB',
    '1.0 MB',
    '5.0 GB',
  ]);
  assert.deepEqual([400, 9940, 59_400, 59_600, 200_000, 7_500_000].map(formatDuration), [
    '0.4s',
    '9.9s',
    '59s',
    '1m00s',
    '3m20s',
    '2h05m',
  ]);
});

test('formats counts like Intl', () => {
  const { format } = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
  const asIntl = (count: number): void => assert.equal(formatCount(count), format(count));
  for (const count of [0, 999, 1000, 1049, 1050, 99_949, 99_950, 999_949, 999_950, 1e9, 1e12]) asIntl(count);
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 31 - 1 }), fc.integer({ min: 0, max: 20 }), (n, down) =>
      asIntl(n >> down),
    ),
  );
});

test('uses the singular for one, however the count is formatted', () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => plural(count, 'day')),
    ['0 days', '1 day', '2 days'],
  );
  assert.equal(plural(1234, 'row', '1,234'), '1,234 rows');
  assert.equal(plural(1, 'row', '1'), '1 row');
});
