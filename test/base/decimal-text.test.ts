import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countNeededDecimals, padDecimals, readDecimal, toDecimalText } from '../../src/base/units.js';

test('numbers of the service become plain decimals', () => {
  for (const [value, text] of [
    [1e-7, '0.0000001'],
    ['0.10', '0.1'],
    [2.5, '2.5'],
    ['1.5e3', '1500'],
    ['0012.50', '12.5'],
    ['1e101', undefined],
    ['-0.00010', '-0.0001'],
    [-0, '0'],
    [1e21, '1000000000000000000000'],
    ['x', undefined],
    ['1e-102', undefined],
    [null, undefined],
    [Number.NaN, undefined],
  ] as const)
    assert.equal(toDecimalText(value), text, String(value));
});

test('counts the decimals that a number needs', () => {
  for (const [text, decimals] of [
    ['1e-99999999999', 99_999_999_999],
    ['0e-99999999999', 0],
    ['1.500', 1],
    ['1500', 0],
    ['1.5e1', 0],
    ['0.05e-1', 3],
  ] as const)
    assert.equal(countNeededDecimals(text), decimals, text);
  assert.throws(() => countNeededDecimals('x'), /^Error: x is not a decimal$/);
  assert.throws(() => readDecimal(''), /is not a decimal/);
});

test('pads decimals with zeros', () => {
  assert.deepEqual(
    [padDecimals('1.5', 3), padDecimals('2', 1), padDecimals('2', 0), padDecimals('1.5', 0)],
    ['1.500', '2.0', '2', undefined],
  );
});
