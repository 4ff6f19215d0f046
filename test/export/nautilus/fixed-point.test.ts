import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FIXED_LIMITS, FixedPointConverter, toFixedPoint } from '../../../src/export/nautilus/fixed-point.js';
import { KernelMemory } from '../../../src/export/nautilus/lane-memory.js';
import type { NumberColumn } from '../../../src/format/batch.js';
import { rounds } from '../../helpers/services.js';

/** Decimals of up to 15 digits, so that their doubles determine them. */
const shortDecimal = fc
  .tuple(
    fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }),
    fc.integer({ min: 0, max: 15 }),
    fc.nat(18),
    fc.boolean(),
  )
  .map(([digits, dropped, fraction, isNegative]) => {
    const text = `${digits / 10n ** BigInt(dropped)}`.padStart(fraction + 1, '0');
    const point = text.length - fraction;
    const decimal = fraction === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`;
    return isNegative ? `-${decimal}` : decimal;
  });

for (const bits of [64, 128] as const) {
  test(`converts doubles to the fixed-point numbers of their decimals, ${bits} bits`, () => {
    const memory = new KernelMemory();
    const { scale, price } = FIXED_LIMITS[bits];
    const value = fc.tuple(shortDecimal, fc.nat(scale));
    const values = fc.array(value, { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(values, (all) => {
        const expected = all.map(([text, decimals]) => toFixedPoint(text, decimals, scale));
        const limit = BigInt(price) * 10n ** BigInt(scale);
        const isInRange = ({ raw }: { readonly raw: bigint }): boolean => raw <= limit && raw >= -limit;
        const outOfRange = expected.findIndex((number) => !isInRange(number));
        const rows = outOfRange < 0 ? all.length : outOfRange;
        const places = memory.load(
          'places',
          Uint8Array.from(all, ([, decimals]) => decimals),
        );
        const out = memory.buffer('out', 16 * all.length);
        const converter = new FixedPointConverter(memory, bits);
        const problem = converter.convert(toColumn(all.map(([text]) => Number(text))), 'price', places, out);
        assert.equal(problem?.row, outOfRange < 0 ? undefined : outOfRange);
        const readLong = (at: number): bigint => memory.bytes.readBigUInt64LE(at);
        const found = Array.from({ length: rows }, (_, row) => {
          const at = out + (bits / 8) * row;
          return bits === 64 ? readLong(at) : readLong(at) | (readLong(at + 8) << 64n);
        });
        const expectedRows = expected.slice(0, rows);
        assert.deepEqual(
          found,
          expectedRows.map(({ raw }) => BigInt.asUintN(bits, raw)),
        );
        if (problem) return;
        assert.equal(converter.roundedCount, expected.filter(({ isRounded }) => isRounded).length);
      }),
      { numRuns: rounds(1000) },
    );
  });
}

function toColumn(values: readonly number[]): NumberColumn {
  return {
    kind: 'number',
    values: Float64Array.from(values),
    text: undefined,
    nulls: undefined,
    nullCount: 0,
  };
}

test('decides by the exponent what no number of digits can hold', () => {
  const far = 10n ** 36n;
  for (const [text, expected, isRounded] of [
    ['1e-99999999999', 0n, true],
    [`1e-${'9'.repeat(500)}`, 0n, true],
    ['-1e-1000000', 0n, true],
    ['0e99999999999', 0n, false],
    ['0.000', 0n, false],
    ['4.9e-3', 0n, true],
    ['5e-3', 10n ** 14n, true],
    ['-5e-3', -(10n ** 14n), true],
    ['0.5e-2', 10n ** 14n, true],
    ['1e2', 10n ** 18n, false],
    ['100e-2', 10n ** 16n, false],
    [`1.${'0'.repeat(100_000)}1`, 10n ** 16n, true],
    [`0.${'0'.repeat(100_000)}1e100001`, 10n ** 16n, false],
  ] as const)
    assert.deepEqual(toFixedPoint(text, 2, 16), { raw: expected, isRounded }, text.slice(0, 20));
  for (const text of ['1e99999999999', `1e${'9'.repeat(500)}`, '1e20', '123456789012345678901'])
    for (const sign of ['', '-']) {
      const { raw } = toFixedPoint(sign + text, 2, 16);
      assert.ok(sign === '' ? raw >= far : raw <= -far, text);
    }
});
