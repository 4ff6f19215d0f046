import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePlanFields } from '../../../src/service/records/fetch-records.js';
import { parseLargeJson } from '../../../src/service/records/parse-large-json.js';

const keepElement = (element: unknown): unknown => element;
const options = { excludedPaths: new Set(['skipped']), elementMappers: new Map([['a.list', keepElement]]) };

test('parsing in pieces gives the same value as JSON.parse, with any white space', () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(
      fc.array(value),
      value,
      value,
      fc.constantFrom(0, 1, '\t', ' \t'),
      (list, other, skipped, indent) => {
        const whole = { x: other, a: { list, other }, skipped, last: list };
        const text = JSON.stringify(whole, null, indent);
        const { skipped: _, ...rest } = JSON.parse(text);
        assert.deepEqual(parseLargeJson(Buffer.from(text), options), rest);
      },
    ),
    { numRuns: 500 },
  );
});

test('refuses text that JSON.parse refuses, outside excluded fields', () => {
  const good = JSON.stringify({ a: { list: [{ b: 'c\\"]}' }, 2, [3]], other: null }, x: [1, { y: 'z' }] });
  fc.assert(
    fc.property(
      fc.nat(good.length - 1),
      fc.constantFrom('', ',', ']', '}', '"', '{', 'x', '\\'),
      (at, put) => {
        const text = good.slice(0, at) + put + good.slice(at + 1);
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          assert.throws(() => parseLargeJson(Buffer.from(text), options), SyntaxError, text);
          return;
        }
        if (typeof expected === 'object')
          assert.deepEqual(parseLargeJson(Buffer.from(text), options), expected);
      },
    ),
    { numRuns: 2000 },
  );
});

test('a list longer than a piece is parsed completely and in order', () => {
  const list = Array.from({ length: 20_000 }, (_, i) => ({
    id: `SYMBOL-${i}`,
    dataTypes: ['trades', 'quotes'],
  }));
  const record = { id: 'x', availableSymbols: list, datasets: { exportedUntil: 'y', symbols: list } };
  const read = parsePlanFields(Buffer.from(JSON.stringify(record)));
  assert.deepEqual(read, { id: 'x', datasets: { exportedUntil: 'y', symbols: list } });
});
