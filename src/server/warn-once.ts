/** Limits how much memory clients can use up by triggering different warnings. */
const MAX_REMEMBERED_LINES = 10_000;

/** Creates a function that passes each distinct line on once. */
export function createWarnOnce(warn: (line: string) => void): (line: string) => void {
  const warned = new Set<string>();
  return (line) => {
    if (warned.has(line) || warned.size >= MAX_REMEMBERED_LINES) return;
    warned.add(line);
    warn(line);
  };
}
