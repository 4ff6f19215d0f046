/**
 * Creates a clock in microseconds since the epoch that never goes back within a millisecond: the system
 * clock, which has milliseconds, refined by a clock of higher resolution.
 */
export function createLocalClock(
  wallMs: () => number = Date.now,
  fineMs: () => number = () => performance.now(),
): () => number {
  let offset = wallMs() * 1000 - fineMs() * 1000;
  return () => {
    const wall = wallMs() * 1000;
    const fine = fineMs() * 1000;
    const time = Math.min(Math.max(wall, fine + offset), wall + 999);
    offset = time - fine;
    return Math.floor(time);
  };
}
