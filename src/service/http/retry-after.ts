/** The date forms of HTTP begin with a weekday and have a time of day (RFC 9110, section 5.6.7). */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/;

/**
 * Parses a Retry-After header, seconds or a date (RFC 9110, section 10.2.3), or the same value of an error body, where
 * it may be a number.
 * @param now milliseconds since the epoch
 * @returns milliseconds to wait, never negative; undefined for anything else.
 */
export function parseRetryAfter(value: unknown, now: number): number | undefined {
  if (typeof value === 'number') return secondsToMs(value);
  const text = typeof value === 'string' ? value.trim() : '';
  if (/^\d+(\.\d+)?$/.test(text)) return secondsToMs(Number(text));
  const date = parseHttpDate(text);
  return date === undefined ? undefined : Math.max(0, date - now);
}

/** Whole milliseconds, limited to the largest safe integer: an endless wait is still a wait. */
function secondsToMs(seconds: number): number | undefined {
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(seconds * 1000)));
}

/** Parses the three date forms of HTTP to milliseconds since the epoch. */
export function parseHttpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  // asctime's form has no time zone.
  const ms = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(ms) ? undefined : ms;
}
