import type { Period } from '../market/trade-bars.js';

const LF = 10;
const QUOTE = '"';

/**
 * Creates a function that is called with a day file's text, chunk by chunk, and finds the first chunk with a
 * row at or after the period's end. Files are sorted by local time (docs/spec/datasets-api.md#day-file), so only the
 * last whole row of a chunk is checked. A row with quotes, or of another day, decides nothing.
 * @param rest the day's part after the period: microseconds of local time.
 * @returns length of the chunk up to the end of that row; undefined if the period may continue after this
 * chunk.
 */
export function createPeriodEndFinder(rest: Period): (text: Buffer) => number | undefined {
  let column: number | undefined;
  return (text) => {
    column ??= findColumn(text.toString('latin1', 0, text.indexOf(LF)));
    const behind = text.lastIndexOf(LF) + 1;
    if (behind < 2) return undefined;
    const start = text.lastIndexOf(LF, behind - 2) + 1;
    const row = text.toString('latin1', start, behind - 1);
    // The first row of a chunk may be incomplete.
    if (start === 0 || row.includes(QUOTE)) return undefined;
    const time = Number(row.split(',')[column]);
    return time >= rest.start && time < rest.end ? behind : undefined;
  };
}

/** -1 if the header does not fit into the first chunk: then no row decides. */
function findColumn(header: string): number {
  return header.split(',').indexOf('local_timestamp');
}
