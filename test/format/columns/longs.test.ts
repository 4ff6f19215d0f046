import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createOwnMemory } from '../../../src/base/wasm.js';
import { loadColumnExports } from '../../../src/format/columns/column-memory.js';

const ADDRESS = 131_072;
const memory = createOwnMemory(262_144);
const kernel = loadColumnExports(memory);

test('any integers in doubles become 64-bit integers, with their range and steps back', () => {
  const edge = fc.constantFrom(0, -0, 2 ** 51, -(2 ** 51), Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER);
  const nearEdge = fc.tuple(edge, fc.integer({ min: -2, max: 2 })).map(([a, b]) => a + b);
  const small = fc.integer({ min: -9, max: 9 });
  const time = fc.integer({ min: 1_500_000_000_000_000, max: 1_900_000_000_000_000 });
  const values = fc.oneof(
    ...[fc.oneof(nearEdge, small), small, time].map((value) => fc.array(value, { maxLength: 40 })),
  );
  fc.assert(
    fc.property(values, (numbers) => {
      new Float64Array(memory.buffer, ADDRESS, numbers.length).set(numbers);
      kernel.convertToLongs(ADDRESS, numbers.length);
      const longs = new BigInt64Array(memory.buffer, ADDRESS, numbers.length);
      assert.deepEqual([...longs], numbers.map(BigInt));
      assert.equal(kernel.minValue.value + 0, Math.min(...numbers) + 0);
      assert.equal(kernel.maxValue.value + 0, Math.max(...numbers) + 0);
      const back = numbers.filter((value, i) => i > 0 && value < (numbers[i - 1] as number));
      assert.equal(kernel.stepsBack.value, back.length);
    }),
    { numRuns: 2000 },
  );
});
