import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { DOWNLOAD_AGAIN } from '../../gzip/gunzip.js';

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

/** Maximum length of a line; real ones have a few hundred bytes. It limits the memory of a parser. */
export const MAX_LINE_BYTES = 1024 * 1024;
export const TOO_LONG = `the line is longer than ${MAX_LINE_BYTES} bytes: this is not a day file`;
export const UNCLOSED = `a quote is opened that is not closed within ${MAX_LINE_BYTES} bytes`;

const LF = 10;
const CR = 13;
const COMMA = 44;

/** The cells of a line without quotes and without its LF. */
export function splitLine(line: Buffer): Buffer[] {
  const text = line.at(-1) === CR ? line.subarray(0, -1) : line;
  const cells: Buffer[] = [];
  let start = 0;
  for (;;) {
    const comma = text.indexOf(COMMA, start);
    if (comma < 0) break;
    cells.push(text.subarray(start, comma));
    start = comma + 1;
  }
  cells.push(text.subarray(start));
  return cells;
}

/** A text as a cell (RFC 4180, section 2). */
export function quoteCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The line that contains the byte at `position`, without its LF. The text ends in LF. */
export function lineContaining(text: Buffer, position: number): Buffer {
  const start = position === 0 ? 0 : text.lastIndexOf(LF, position - 1) + 1;
  return text.subarray(start, text.indexOf(LF, position));
}

/** Position of a cell's end, without the CR of a line end, and of the next cell's start. */
interface CellEnd {
  readonly end: number;
  readonly next: number;
}

/** Undefined if the row has too few or too many cells. */
export function findCellEnd(text: Buffer, start: number, isLast: boolean): CellEnd | undefined {
  let separator = start;
  while (text[separator] !== COMMA && text[separator] !== LF) separator++;
  if (text[separator] !== (isLast ? LF : COMMA)) return undefined;
  const hasCr = isLast && separator > start && text[separator - 1] === CR;
  return { end: hasCr ? separator - 1 : separator, next: separator + 1 };
}

const DECIMAL = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;
const INTEGER = /^-?\d+$/;

/** More digits never matter in a number or a time; limits the work per cell. */
const MAX_CELL_BYTES = 1024;

/** A parsed cell, or the problem with it, as the end of a sentence. */
export type ParsedCell = number | string;

/** Accepts JSON's grammar plus leading zeros; refuses `+1`, `.5`, `3.`, NaN and Infinity. */
export function parseDecimal(bytes: Buffer, start: number, end: number): ParsedCell {
  const text = toAscii(bytes, start, end);
  if (!DECIMAL.test(text)) return 'is not a decimal number';
  const value = Number(text);
  return Number.isFinite(value) ? value : 'is outside the range of a double';
}

/** Integer microseconds, up to 2^53 - 1 in magnitude. */
export function parseTimeUs(bytes: Buffer, start: number, end: number): ParsedCell {
  return parseTime(toAscii(bytes, start, end));
}

/** Like `parseTimeUs`, for a cell that is text. */
export function parseTime(text: string): ParsedCell {
  if (text.length > MAX_CELL_BYTES || !INTEGER.test(text)) return 'is not a time in integer microseconds';
  const value = Number(text);
  // Adding zero turns -0 into 0.
  return Number.isSafeInteger(value) ? value + 0 : 'is outside the range of times, 2^53 - 1 microseconds';
}

/** `true` as 1, `false` as 0. */
export function parseBoolean(bytes: Buffer, start: number, end: number): ParsedCell {
  const text = toAscii(bytes, start, end);
  if (text === 'true') return 1;
  return text === 'false' ? 0 : 'is neither true nor false';
}

/** Empty for a text that is too long, which no grammar here accepts. */
function toAscii(bytes: Buffer, start: number, end: number): string {
  return end - start > MAX_CELL_BYTES ? '' : bytes.toString('latin1', start, end);
}
