import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLineMemories } from '../../../src/market/day-file/text-lines.js';
import { byColumns, headerOf, type TextRun, textLinesOf } from './text-lines-of.js';

const DAY = 1_709_251_200_000_000;
const A_DAY = 86_400_000_000;

test('kernel and columns count rows of other days and symbols, and rows that go back, equally for all cuts', () => {
  const times = [DAY, DAY - 1, DAY + A_DAY - 1, DAY + A_DAY, DAY + A_DAY, DAY + 5];
  for (const [type, cells] of [
    ['trade', ',buy,1,2'],
    ['book_change', 'true,bid,1,2'],
  ] as const) {
    const rows = times.flatMap((time, i) => [
      `x,${i % 3 === 1 ? 'T' : 'S'},${DAY},${time},${cells}\n`,
      `x,${i % 3 === 2 ? 'T' : 's'},${DAY},${time},${cells}\n`,
    ]);
    const expected = { rows: 12, outside: 6, backwards: 2, foreign: 4, last: DAY + 5 };
    for (const cuts of [[1], [50], [1000]]) {
      const run: TextRun = { type, files: [headerOf(type) + rows.join('')], cuts };
      const memories = createLineMemories();
      assert.deepEqual(textLinesOf(run, memories).counts, [expected]);
      assert.equal(memories.columns.size, 0, 'the kernel did it all');
      assert.deepEqual(textLinesOf(byColumns(run), createLineMemories()).counts, [expected]);
      // From a quote on, columns are used.
      const quoted = `${rows[0]?.replace('x,', '"x",')}`;
      const mixed = { ...run, files: [headerOf(type) + rows.join('') + quoted + rows.join('')] };
      const { counts } = textLinesOf(mixed, createLineMemories());
      assert.deepEqual(counts, textLinesOf(byColumns(mixed), createLineMemories()).counts);
      assert.deepEqual(counts[0], { rows: 25, outside: 12, backwards: 5, foreign: 8, last: DAY + 5 });
    }
  }
});
