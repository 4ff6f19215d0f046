import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { DOWNLOAD_AGAIN } from '../../integrity/describe-gzip-error.js';

/** Maximum number of characters of a cell in a message. */
const MAX_SHOWN_CHARACTERS = 40;

/** Position in a source file, for messages. */
export interface SourceLine {
  /** Path of the file. */
  readonly source: string;
  /** Counted from 1, which is the header. */
  readonly line: number;
}

/**
 * Error for a cell that is invalid in its column.
 * @param problem completes a sentence that begins with the cell.
 */
export function createCellError(
  place: SourceLine,
  column: string,
  cell: Uint8Array,
  problem: string,
): TickhaulError {
  return createLineError(place, `column ${column}: ${formatCell(cell)} ${problem}`);
}

/** Error for a line, including the header. */
export function createLineError({ source, line }: SourceLine, problem: string): TickhaulError {
  return new TickhaulError('corrupt', `${source}: line ${line}, ${problem}; ${DOWNLOAD_AGAIN}`);
}

/** Error for a row, as described by `describeRowProblem`. */
export function createRowError(
  place: SourceLine,
  ...row: Parameters<typeof describeRowProblem>
): TickhaulError {
  return createLineError(place, describeRowProblem(...row));
}

/**
 * Describes an invalid row. A wrong number of cells takes precedence over the problem of one cell, since it is usually
 * the cause.
 */
export function describeRowProblem(
  names: readonly string[],
  cells: readonly Uint8Array[],
  column: number,
  problem: string | undefined,
): string {
  const found = cells.length;
  const expected = names.length;
  const at = found === expected ? column : Math.min(found, expected) - 1;
  const name = names[at] ?? '';
  const cell = cells[at] ?? new Uint8Array();
  const place = `column ${name}: ${formatCell(cell)}`;
  if (found === expected) return `${place} ${problem ?? 'is invalid'}`;
  if (found === 1 && cell.length === 0) return `column ${name}: the line is blank`;
  const mismatch = found < expected ? 'ends the line' : 'is followed by more cells';
  return `${place} ${mismatch}: ${plural(found, 'cell')} where the header has ${expected}`;
}

/** A cell for a message: shortened and quoted; control characters and invalid UTF-8 become visible. */
export function formatCell(cell: Uint8Array): string {
  const text = Buffer.from(
    cell.buffer,
    cell.byteOffset,
    Math.min(cell.length, 4 * MAX_SHOWN_CHARACTERS),
  ).toString('utf8');
  return JSON.stringify(
    text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS - 1)}…` : text,
  );
}
