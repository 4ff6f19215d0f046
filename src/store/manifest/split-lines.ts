const LF = 0x0a;

/**
 * Gives each whole line of some bytes, without its line feed.
 * @param searched how many of the bytes, from the first, are known to hold no line feed.
 * @returns the byte after the last whole line.
 */
export function splitLines(bytes: Buffer, searched: number, use: (line: string) => void): number {
  let from = 0;
  for (let at = bytes.indexOf(LF, searched); at !== -1; at = bytes.indexOf(LF, from)) {
    use(bytes.toString('utf8', from, at));
    from = at + 1;
  }
  return from;
}
