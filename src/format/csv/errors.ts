import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';

/** The longest part of a cell that a message shows, in characters. */
const SHOWN = 40;

/** Where in a file something is wrong. */
export interface SourceLine {
  /** The file's name. */
  readonly source: string;
  /** Counted from 1, the header. */
  readonly line: number;
}

/** A cell that its column doesn't take; `problem` completes a sentence that begins with the cell. */
export function cellError(
  place: SourceLine,
  column: string,
  cell: Uint8Array,
  problem: string,
): TickhaulError {
  return lineError(place, `column ${column}: ${shown(cell)} ${problem}`);
}

/** Anything wrong with a line, the header too. */
export function lineError({ source, line }: SourceLine, problem: string): TickhaulError {
  return new TickhaulError('corrupt', `${source}: line ${line}, ${problem}; download the file again`);
}

/**
 * A row that was refused, cell by cell: that it has too few or too many cells comes before what is wrong with
 * one of them, since most often it is the cause.
 */
export function rowError(
  place: SourceLine,
  names: readonly string[],
  cells: readonly Uint8Array[],
  column: number,
  problem: string | undefined,
): TickhaulError {
  const found = cells.length;
  const expected = names.length;
  const at = found === expected ? column : Math.min(found, expected) - 1;
  const name = names[at] ?? '';
  const cell = cells[at] ?? new Uint8Array();
  if (found === expected) return cellError(place, name, cell, problem ?? 'is not understood');
  if (found === 1 && cell.length === 0) return lineError(place, `column ${name}: the line is blank`);
  const how = found < expected ? 'ends the line' : 'is followed by more cells';
  return cellError(place, name, cell, `${how}: ${plural(found, 'cell')} where the header has ${expected}`);
}

/** A cell for a message: shortened, quoted, control characters and invalid UTF-8 made visible. */
export function shown(cell: Uint8Array): string {
  const text = Buffer.from(cell.buffer, cell.byteOffset, Math.min(cell.length, 4 * SHOWN)).toString('utf8');
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text);
}
