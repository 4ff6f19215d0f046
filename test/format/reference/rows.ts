import { LEADING_COLUMNS } from '../../../src/dataset/data-types.js';
import type { Schema } from '../../../src/format/columns.js';
import { problemOf } from './cell.js';

const NEVER_EMPTY = LEADING_COLUMNS.map(({ name }) => name);

/** The rows of a text up to the first that must be refused, and what is said of that one. */
export interface ReferenceRows {
  readonly rows: readonly (readonly Buffer[])[];
  readonly error: string | undefined;
}

/** The plainest reading of whole rows without quotes. `line` is that of the first row. */
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

/** The message for a row that must be refused: a wrong count of cells comes before a wrong cell. */
export function referenceError(
  cells: readonly Buffer[],
  schema: Schema,
  source: string,
  line: number,
): string | undefined {
  const problems = schema.map(({ name, kind }, i) =>
    problemOf(kind, cells[i] ?? Buffer.alloc(0), NEVER_EMPTY.includes(name)),
  );
  const [found, expected] = [cells.length, schema.length];
  const wrongCount = found !== expected;
  const at = wrongCount ? Math.min(found, expected) - 1 : problems.findIndex((problem) => problem);
  if (at < 0) return undefined;
  const place = `${source}: line ${line}, column ${schema[at]?.name}: `;
  const end = '; download the file again';
  if (found === 1 && cells[0]?.length === 0 && wrongCount) return `${place}the line is blank${end}`;
  const how = found < expected ? 'ends the line' : 'is followed by more cells';
  const problem = wrongCount
    ? `${how}: ${found} cell${found === 1 ? '' : 's'} where the header has ${expected}`
    : problems[at];
  return `${place}${shown(cells[at] ?? Buffer.alloc(0))} ${problem}${end}`;
}

function shown(cell: Buffer): string {
  const text = cell.subarray(0, 160).toString();
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
}
