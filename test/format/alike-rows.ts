import fc from 'fast-check';

/** Rows that share some first cells with the previous row, as most rows of real files do. */
export function alikeRows(row: fc.Arbitrary<string[]>, most: number): fc.Arbitrary<string[][]> {
  return fc
    .array(fc.tuple(row, fc.nat({ max: 25 })), { maxLength: most })
    .map((rows) => rows.reduce(withSharedBeginning, []));
}

function withSharedBeginning(rows: readonly string[][], [row, shared]: [string[], number]): string[][] {
  const before = rows.at(-1) ?? row;
  return [...rows, [...before.slice(0, shared % (row.length + 1)), ...row.slice(shared % (row.length + 1))]];
}
