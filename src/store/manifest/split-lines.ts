const LF = 0x0a;

/**
 * Passes each complete line to `use`, without its line feed.
 * @param searched number of leading bytes that are known to have no line feed.
 * @returns the position after the last complete line.
 */
export function splitLines(bytes: Buffer, searched: number, use: (line: string) => void): number {
  let from = 0;
  for (let at = bytes.indexOf(LF, searched); at !== -1; at = bytes.indexOf(LF, from)) {
    use(bytes.toString('utf8', from, at));
    from = at + 1;
  }
  return from;
}
