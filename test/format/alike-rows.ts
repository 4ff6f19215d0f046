import fc from 'fast-check';

/** Up to so many rows, each with some first cells of the row before it, as most rows of real files have them. */
export function alikeRows(row: fc.Arbitrary<string[]>, most: number): fc.Arbitrary<string[][]> {
  return fc
    .array(fc.tuple(row, fc.nat({ max: 25 })), { maxLength: most })
    .map((rows) => rows.reduce(withSharedBeginning, []));
}

function withSharedBeginning(rows: readonly string[][], [row, shared]: [string[], number]): string[][] {
  const before = rows.at(-1) ?? row;
  return [...rows, [...before.slice(0, shared % (row.length + 1)), ...row.slice(shared % (row.length + 1))]];
}
