/** Lines that are remembered, so that clients can't fill the memory with them. */
const MAX_REMEMBERED = 10_000;

/** Warns of the same thing once. */
export function createWarnOnce(warn: (line: string) => void): (line: string) => void {
  const warned = new Set<string>();
  return (line) => {
    if (warned.has(line) || warned.size >= MAX_REMEMBERED) return;
    warned.add(line);
    warn(line);
  };
}
