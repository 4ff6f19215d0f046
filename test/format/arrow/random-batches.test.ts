import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createOutputOptions, OUTPUT_FORMATS } from '../../../src/format/output-formats.js';
import { createMemorySink } from '../../helpers/memory-sink.js';
import { rounds } from '../../helpers/services.js';
import { type Cell, encodeBatches, schemaOf, type TestColumn } from '../parquet/batches.js';
import { readWithFlechette } from './read-arrow.js';

const VALUES = {
  time: fc.maxSafeInteger(),
  integer: fc.maxSafeInteger(),
  number: fc.double({ noNaN: true, noDefaultInfinity: true }),
  boolean: fc.boolean(),
  text: fc.oneof(
    fc.constantFrom('buy', 'sell'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  ),
} as const;

/** A column of a kind; its nulls are none, some or all of its cells. */
function columnOf(rows: number): fc.Arbitrary<TestColumn> {
  const nulls = fc.constantFrom(0, 0.3, 1);
  return fc
    .tuple(fc.constantFrom(...(Object.keys(VALUES) as (keyof typeof VALUES)[])), nulls)
    .chain(([kind, share]) => {
      const value: fc.Arbitrary<Cell> = VALUES[kind];
      const cell = fc.tuple(value, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }));
      return fc.array(cell, { minLength: rows, maxLength: rows }).map((cells) => ({
        name: 'column',
        kind,
        cells: cells.map(([found, random]) => (random < share ? null : found)),
      }));
    });
}

const columns = fc
  .integer({ min: 0, max: 70 })
  .chain((rows) => fc.array(columnOf(rows), { minLength: 1, maxLength: 6 }))
  .map((found) => found.map((column, i) => ({ ...column, name: `${column.name} ${i}` })));

test('reads back random columns from files and from streams, compressed or not', async () => {
  const format = OUTPUT_FORMATS.arrow;
  const options = fc.record({
    compression: fc.constantFrom(...format.compressions),
    times: fc.constantFrom(...format.times),
    numbers: fc.constantFrom('double' as const, 'string' as const),
  });
  const property = fc.asyncProperty(
    columns,
    options,
    fc.integer({ min: 1, max: 40 }),
    fc.boolean(),
    async (found, chosen, batchRows, isFile) => {
      const selected = createOutputOptions('arrow', chosen);
      const schema = schemaOf(found);
      const sink = createMemorySink();
      const stream = format.openStream?.(sink, selected);
      const writer = isFile
        ? await format.createWriter(sink, schema, selected)
        : await stream?.createWriter(schema);
      for (const batch of await encodeBatches(found, batchRows, selected)) await writer?.write(batch);
      await writer?.finish({});
      if (!isFile) await stream?.end();
      const expected = found.map(({ kind, cells }) =>
        cells.map((cell) => {
          if (kind !== 'number' || chosen.numbers === 'double' || cell === null) return cell;
          return Object.is(cell, -0) ? '-0' : String(cell);
        }),
      );
      assert.deepEqual(readWithFlechette(sink.bytes()), expected);
    },
  );
  await fc.assert(property, { numRuns: rounds(200) });
});
