import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PieceMemory } from '../../../src/format/kernel/piece-memory.js';

const memory = await PieceMemory.create(1);

test('counts the bytes of some columns, with their separators', async () => {
  const piece = memory.acquire();
  assert.ok(piece);
  const property = fc.property(
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 6 }),
    fc.array(fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 54, maxLength: 54 }), { maxLength: 30 }),
    fc.integer({ min: 0, max: 100 }),
    (runs, rows, from) => {
      const flags = runs.flatMap((length, i) => Array.from({ length }, () => i % 2 === 0));
      const cells = rows.map((lengths) => flags.map((_, column) => 'x'.repeat(lengths[column] ?? 0)));
      const text = flags.length > 0 ? cells.map((row) => `${row.join()}\n`).join('') : '';
      piece.bytes.fill(',').write(text, from);
      const counted = cells.flatMap((row) => row.filter((_, column) => flags[column]));
      const expected = counted.reduce((bytes, cell) => bytes + cell.length + 1, 0);
      assert.equal(piece.countCells(from, from + text.length, Int32Array.from(runs)), expected);
    },
  );
  fc.assert(property);
  memory.free(piece);
});

test('counts all bytes of rows with thousands of columns, and of rows with too few cells', () => {
  const piece = memory.acquire();
  assert.ok(piece);
  assert.equal(piece.countCells(0, 100, new Int32Array(5000)), 100);
  const text = 'a,b,c\na\nb\nc,d,e\nf';
  piece.bytes.fill(0).write(`${text}\n`);
  assert.equal(piece.countCells(0, text.length + 1, Int32Array.of(3)), text.length + 1);
  memory.free(piece);
});
