import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_NUMBER_BYTES, writeNumber } from '../../../src/format/ndjson/write-json.js';

function writeToText(value: number): string {
  const bytes = Buffer.alloc(MAX_NUMBER_BYTES + 8, '#');
  const end = writeNumber(value, new DataView(bytes.buffer, bytes.byteOffset, MAX_NUMBER_BYTES), 0);
  assert.ok(bytes.subarray(end).every((byte) => byte === 35));
  return bytes.toString('latin1', 0, end);
}

test('writes decimals of any length, and any double, like JSON.stringify', () => {
  const decimal = fc
    .tuple(fc.bigInt(0n, 10n ** 17n), fc.nat({ max: 17 }), fc.nat({ max: 16 }), fc.boolean())
    .map(([digits, cut, point, negative]) => {
      const value = Number(`${digits / 10n ** BigInt(cut)}e-${point}`);
      return negative ? -value : value;
    });
  const near = fc
    .tuple(decimal, fc.constantFrom(-1, 1))
    .map(([value, step]) => value * (1 + step * 2 ** -52));
  fc.assert(
    fc.property(fc.oneof(decimal, near, fc.double(), fc.float(), fc.maxSafeInteger()), (value) => {
      assert.equal(writeToText(value), JSON.stringify(value));
    }),
    { numRuns: 20_000 },
  );
});

test('writes numbers at the bounds of each form', () => {
  const bounds = [
    1e-6,
    1e-7,
    1e3,
    1e7,
    1e9,
    1e15,
    1e16,
    1e21,
    2 ** 31,
    2 ** 53,
    Number.MAX_VALUE,
    Number.MIN_VALUE,
  ];
  for (const bound of bounds) {
    for (const value of [
      bound,
      bound * (1 + 2 ** -52),
      bound * (1 - 2 ** -53),
      bound + 0.5,
      bound - 1e-8,
      1 / bound,
    ]) {
      assert.equal(writeToText(value), JSON.stringify(value));
      assert.equal(writeToText(-value), JSON.stringify(-value));
    }
  }
  for (const value of [0, -0, Number.NaN, Infinity, -Infinity])
    assert.equal(writeToText(value), JSON.stringify(value));
});
