const LF = 10;
const CR = 13;
const COMMA = 44;

/** The cells of a line without quotes and without its LF. */
export function splitLine(line: Buffer): Buffer[] {
  const whole = line.at(-1) === CR ? line.subarray(0, -1) : line;
  const cells: Buffer[] = [];
  let start = 0;
  for (;;) {
    const comma = whole.indexOf(COMMA, start);
    if (comma < 0) break;
    cells.push(whole.subarray(start, comma));
    start = comma + 1;
  }
  cells.push(whole.subarray(start));
  return cells;
}

/** The line without its LF that holds the byte at `position`. The text ends in LF. */
export function lineContaining(text: Buffer, position: number): Buffer {
  const start = position === 0 ? 0 : text.lastIndexOf(LF, position - 1) + 1;
  return text.subarray(start, text.indexOf(LF, position));
}

/** A cell in a line: where it ends, without the CR of a line's end, and where the next one begins. */
export interface CellEnd {
  readonly end: number;
  readonly next: number;
}

/** Undefined where the row ends too early, or doesn't end: it has too few or too many cells. */
export function findCellEnd(text: Buffer, start: number, isLast: boolean): CellEnd | undefined {
  let separator = start;
  while (text[separator] !== COMMA && text[separator] !== LF) separator++;
  if (text[separator] !== (isLast ? LF : COMMA)) return undefined;
  const hasCr = isLast && separator > start && text[separator - 1] === CR;
  return { end: hasCr ? separator - 1 : separator, next: separator + 1 };
}
