import fc from 'fast-check';

/** Rows that share cells with the previous row, as most rows of real files do: some first ones, and any others. */
export function alikeRows(row: fc.Arbitrary<string[]>, most: number): fc.Arbitrary<string[][]> {
  return fc
    .array(fc.tuple(row, fc.nat({ max: 25 }), fc.array(fc.boolean(), { maxLength: 40 })), { maxLength: most })
    .map((rows) => rows.reduce(withSharedCells, []));
}

function withSharedCells(
  rows: readonly string[][],
  [row, first, others]: [string[], number, boolean[]],
): string[][] {
  const before = rows.at(-1) ?? row;
  const beginning = first % (row.length + 1);
  const isShared = (i: number): boolean => i < beginning || others[i % others.length] === true;
  return [...rows, row.map((cell, i) => (isShared(i) ? (before[i] ?? cell) : cell))];
}
