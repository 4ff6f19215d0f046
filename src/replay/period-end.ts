import type { Period } from '../market/trade-bars.js';

const LF = 10;
const QUOTE = '"';

/**
 * Tells of the pieces of a day file's text, one after the other, which is the first with a row at the period's end or
 * behind it: files are sorted by local time (interface page, Dataset file), so the last whole row of a piece tells. One
 * with quotes tells nothing, nor does a row that is not of the file's day.
 * @param rest of the day, from the period's end on: microseconds of local time.
 * @returns how much of the piece is up to that row's end; undefined where more of the file is wanted.
 */
export function createPeriodEnd(rest: Period): (text: Buffer) => number | undefined {
  let column: number | undefined;
  return (text) => {
    column ??= columnOf(text.toString('latin1', 0, text.indexOf(LF)));
    const behind = text.lastIndexOf(LF) + 1;
    if (behind < 2) return undefined;
    const start = text.lastIndexOf(LF, behind - 2) + 1;
    const row = text.toString('latin1', start, behind - 1);
    // A piece's first row may lack its beginning.
    if (start === 0 || row.includes(QUOTE)) return undefined;
    const time = Number(row.split(',')[column]);
    return time >= rest.start && time < rest.end ? behind : undefined;
  };
}

/** -1 where the header doesn't fit into the first piece: no row tells anything then. */
function columnOf(header: string): number {
  return header.split(',').indexOf('local_timestamp');
}
