const LF = 0x0a;

/** Of so many lines in a row that are shorter than this, in bytes, the next ones are counted byte by byte. */
const SHORT_LINES_TO_SWITCH = 64;
const SHORT_LINE_BYTES = 16;
const BLOCK_BYTES = 64 * 1024;

/**
 * Counts the line feeds of a chunk. Buffer.indexOf is a memchr: on lines of 70 bytes and more it keeps up
 * with counting in whole words, and passes it on the long lines of books, in a fraction of the code. A call for
 * each line is slow where lines are no longer than a few bytes: no day file has such, but a bomb may.
 */
export function countLines(chunk: Buffer): number {
  let count = 0;
  let short = 0;
  for (let at = chunk.indexOf(LF); at !== -1; ) {
    count++;
    const next = chunk.indexOf(LF, at + 1);
    short = next - at < SHORT_LINE_BYTES ? short + 1 : 0;
    at = next;
    if (short < SHORT_LINES_TO_SWITCH || at < 0) continue;
    const end = Math.min(at + BLOCK_BYTES, chunk.length);
    for (; at < end; at++) if (chunk[at] === LF) count++;
    at = chunk.indexOf(LF, end);
    short = 0;
  }
  return count;
}

/**
 * Rows of a day file, the header not counted.
 * @param lines line feeds of its text. @param last the text's last byte, of a line that may lack its line feed.
 */
export function linesToRows(lines: number, last: number | undefined): number {
  return Math.max(0, lines + (last === undefined || last === LF ? 0 : 1) - 1);
}
