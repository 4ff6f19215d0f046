/** Formats microseconds since the epoch as ISO 8601 with six decimals; out of range, as a number. */
export function formatTimeUs(micros: number): string {
  const seconds = Math.floor(micros / 1e6);
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return String(micros);
  return `${date.toISOString().slice(0, -5)}.${String(micros - seconds * 1e6).padStart(6, '0')}Z`;
}

/** The time of day, `00:00:00.123456`, of a result of `formatTimeUs`. */
export function formatTimeOfDay(iso: string): string {
  return iso.slice(11, -1);
}
