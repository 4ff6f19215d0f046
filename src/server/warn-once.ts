/** Lines that are remembered, so that clients can't fill the memory with them. */
const MOST_WARNED = 10_000;

/** Warns of the same thing once. */
export function onceOf(warn: (line: string) => void): (line: string) => void {
  const warned = new Set<string>();
  return (line) => {
    if (warned.has(line) || warned.size >= MOST_WARNED) return;
    warned.add(line);
    warn(line);
  };
}
