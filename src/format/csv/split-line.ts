/** Maximum length of a line; real ones have a few hundred bytes. It limits the memory of a parser. */
export const MAX_LINE_BYTES = 1024 * 1024;
export const TOO_LONG = `the line is longer than ${MAX_LINE_BYTES} bytes: this is not a day file`;

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

/** The line that contains the byte at `position`, without its LF. The text ends in LF. */
export function lineContaining(text: Buffer, position: number): Buffer {
  const start = position === 0 ? 0 : text.lastIndexOf(LF, position - 1) + 1;
  return text.subarray(start, text.indexOf(LF, position));
}

/** Position of a cell's end, without the CR of a line end, and of the next cell's start. */
export interface CellEnd {
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
