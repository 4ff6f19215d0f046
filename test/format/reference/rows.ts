import { LEADING_COLUMNS } from '../../../src/day-files/data-types.js';
import type { Schema } from '../../../src/format/batch.js';
import { findProblem } from './cell.js';

const NEVER_EMPTY = LEADING_COLUMNS.map(({ name }) => name);

/** The rows of a text up to the first invalid one, and its error. */
export interface ReferenceRows {
  readonly rows: readonly (readonly Buffer[])[];
  readonly error: string | undefined;
}

/** Parses complete rows without quotes; reference implementation. @param line line of the first row. */
export function referenceRows(text: Buffer, schema: Schema, source: string, line: number): ReferenceRows {
  const lines = text.toString('latin1').split('\n');
  if (lines.at(-1) === '') lines.pop();
  const rows: Buffer[][] = [];
  for (const [i, row] of lines.entries()) {
    const cells = row.replace(/\r$/, '').split(',');
    const bytes = cells.map((cell) => Buffer.from(cell, 'latin1'));
    const error = referenceError(bytes, schema, source, line + i);
    if (error !== undefined) return { rows, error };
    rows.push(bytes);
  }
  return { rows, error: undefined };
}

/** The error for an invalid row: a wrong number of cells takes precedence over an invalid cell. */
export function referenceError(
  cells: readonly Buffer[],
  schema: Schema,
  source: string,
  line: number,
): string | undefined {
  const problems = schema.map(({ name, kind }, i) =>
    findProblem(kind, cells[i] ?? Buffer.alloc(0), NEVER_EMPTY.includes(name)),
  );
  const [found, expected] = [cells.length, schema.length];
  const wrongCount = found !== expected;
  const at = wrongCount ? Math.min(found, expected) - 1 : problems.findIndex((problem) => problem);
  if (at < 0) return undefined;
  const place = `${source}: line ${line}, column ${schema[at]?.name}: `;
  const end = '; download the file again with --existing overwrite';
  if (found === 1 && cells[0]?.length === 0 && wrongCount) return `${place}the line is blank${end}`;
  const mismatch = found < expected ? 'ends the line' : 'is followed by more cells';
  const problem = wrongCount
    ? `${mismatch}: ${found} cell${found === 1 ? '' : 's'} where the header has ${expected}`
    : problems[at];
  return `${place}${formatCell(cells[at] ?? Buffer.alloc(0))} ${problem}${end}`;
}

function formatCell(cell: Buffer): string {
  const text = cell.subarray(0, 160).toString();
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
}
