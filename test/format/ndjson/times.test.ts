import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IsoTimes, LONGEST_TIME, writeInteger } from '../../../src/format/ndjson/times.js';

const out = Buffer.alloc(LONGEST_TIME);
const view = new DataView(out.buffer, out.byteOffset, out.length);

function integer(time: number): string {
  return out.toString('latin1', 0, writeInteger(time, view, 0));
}

const writer = new IsoTimes();
function iso(time: number): string {
  return out.toString('latin1', 0, writer.write(time, view, 0));
}

const time = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: 1.5e15, max: 1.9e15 }),
  fc
    .tuple(fc.integer({ min: -20_000, max: 20_000 }), fc.constantFrom(-1, 0, 1))
    .map(([d, e]) => d * 86.4e9 + e),
);
const EDGES = [0, -1, 1, 999_999, 1e15 - 1, 1e15, 2 ** 53 - 1, 1 - 2 ** 53, -1e15, 1709251200000000];

test('integers of every size are written as String writes them', () => {
  for (const value of EDGES) assert.equal(integer(value), String(value));
  fc.assert(
    fc.property(
      fc.oneof(
        time,
        fc.integer({ min: 0, max: 53 }).map((bits) => 2 ** bits - 1),
      ),
      (value) => {
        assert.equal(integer(value), String(value === 0 ? 0 : value));
      },
    ),
    { numRuns: 5000 },
  );
});

test('ISO times are exact to the microsecond', () => {
  assert.equal(iso(1709251200123456), '2024-03-01T00:00:00.123456Z');
  assert.equal(iso(-1), '1969-12-31T23:59:59.999999Z');
  assert.equal(iso(2 ** 53 - 1), '2255-06-05T23:47:34.740991Z');
  assert.equal(iso(1 - 2 ** 53), '1684-07-28T00:12:25.259009Z');
});

test('ISO times read back as they were', () => {
  fc.assert(
    fc.property(time, (value) => {
      const text = iso(value);
      assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      const micros = BigInt(Date.parse(`${text.slice(0, 23)}Z`)) * 1000n + BigInt(text.slice(23, 26));
      assert.equal(micros, BigInt(value));
    }),
    { numRuns: 5000 },
  );
});
