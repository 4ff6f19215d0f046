const LF = 0x0a;

/**
 * Counts the line feeds of a chunk. Buffer.indexOf is a memchr: on lines of 70 bytes and more it keeps up
 * with counting in whole words, and passes it on the long lines of books, in a fraction of the code.
 */
export function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) count++;
  return count;
}
