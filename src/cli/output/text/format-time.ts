/** Microseconds since the epoch as ISO 8601 with six decimals; as they are where no calendar has them. */
export function formatTimeUs(micros: number): string {
  const seconds = Math.floor(micros / 1e6);
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return String(micros);
  return `${date.toISOString().slice(0, -5)}.${String(micros - seconds * 1e6).padStart(6, '0')}Z`;
}

/** `00:00:00.123456` of what `formatTimeUs` gives. */
export function timeOfDay(iso: string): string {
  return iso.slice(11, -1);
}
