const LF = 0x0a;

/** After this many short lines in a row, a block is counted byte by byte. */
const SHORT_LINES_TO_SWITCH = 64;
const SHORT_LINE_BYTES = 16;
const BLOCK_BYTES = 64 * 1024;

/**
 * Counts the line feeds of a chunk. `Buffer.indexOf` is a memchr, which is fast on lines of 70 bytes and
 * more. One call for each line is slow if lines have only a few bytes; no day file has such lines, but a
 * malicious file may.
 */
export function countLines(chunk: Buffer): number {
  let count = 0;
  let shortLines = 0;
  for (let at = chunk.indexOf(LF); at !== -1; ) {
    count++;
    const next = chunk.indexOf(LF, at + 1);
    shortLines = next - at < SHORT_LINE_BYTES ? shortLines + 1 : 0;
    at = next;
    if (shortLines < SHORT_LINES_TO_SWITCH || at < 0) continue;
    const end = Math.min(at + BLOCK_BYTES, chunk.length);
    for (; at < end; at++) if (chunk[at] === LF) count++;
    at = chunk.indexOf(LF, end);
    shortLines = 0;
  }
  return count;
}

/**
 * Rows of a day file, without the header.
 * @param lines number of line feeds in its text.
 * @param last last byte of the text, since the last line may lack its line feed.
 */
export function linesToRows(lines: number, last: number | undefined): number {
  return Math.max(0, lines + (last === undefined || last === LF ? 0 : 1) - 1);
}
