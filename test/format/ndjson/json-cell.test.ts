import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatIsoTime } from '../../../src/format/ndjson/ndjson-kernel.js';

const time = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: 1.5e15, max: 1.9e15 }),
  fc
    .tuple(fc.integer({ min: -20_000, max: 20_000 }), fc.constantFrom(-1, 0, 1))
    .map(([day, around]) => day * 86.4e9 + around),
);

test('formats ISO times with exact microseconds', () => {
  assert.equal(formatIsoTime(1709251200123456), '2024-03-01T00:00:00.123456Z');
  assert.equal(formatIsoTime(-1), '1969-12-31T23:59:59.999999Z');
  assert.equal(formatIsoTime(2 ** 53 - 1), '2255-06-05T23:47:34.740991Z');
  assert.equal(formatIsoTime(1 - 2 ** 53), '1684-07-28T00:12:25.259009Z');
});

test('ISO times parse to the original microseconds', () => {
  fc.assert(
    fc.property(time, (value) => {
      const text = formatIsoTime(value);
      assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      const micros = BigInt(Date.parse(`${text.slice(0, 23)}Z`)) * 1000n + BigInt(text.slice(23, 26));
      assert.equal(micros, BigInt(value));
    }),
    { numRuns: 5000 },
  );
});
