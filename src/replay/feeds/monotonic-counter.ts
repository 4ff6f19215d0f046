/**
 * Counts minutes of a period that may be read several times, each time from its start, and reports each
 * minute once.
 * @param onMinutes called with the number of minutes read for the first time.
 * @returns a function that starts a new reading and returns the callback for its minutes.
 */
export function createMonotonicCounter(
  onMinutes: (minutes: number) => void,
): () => (minutes: number) => void {
  let reported = 0;
  return () => {
    let read = 0;
    return (minutes) => {
      read += minutes;
      if (read <= reported) return;
      onMinutes(read - reported);
      reported = read;
    };
  };
}
