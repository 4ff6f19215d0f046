/**
 * Counts minutes that may be read more than once, each time from the start.
 * @param onMinutes told of each minute once.
 * @returns a function that begins a reading, and gives what is told of its minutes.
 */
export function createMonotonicCounter(
  onMinutes: (minutes: number) => void,
): () => (minutes: number) => void {
  let told = 0;
  return () => {
    let read = 0;
    return (minutes) => {
      read += minutes;
      if (read <= told) return;
      onMinutes(read - told);
      told = read;
    };
  };
}
