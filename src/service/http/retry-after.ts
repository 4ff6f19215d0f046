const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const FORMS = [
  // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  // RFC 850: Sunday, 06-Nov-94 08:49:37 GMT
  /^[A-Z][a-z]+day, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  // asctime: Sun Nov  6 08:49:37 1994
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

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
  const date = parseHttpDate(text, now);
  return date === undefined ? undefined : Math.max(0, date - now);
}

/** Whole milliseconds, limited to the largest safe integer: an endless wait is still a wait. */
function secondsToMs(seconds: number): number | undefined {
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(seconds * 1000)));
}

/** Parses the three date forms of HTTP (RFC 9110, section 5.6.7) to milliseconds since the epoch. */
export function parseHttpDate(text: string, now: number): number | undefined {
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (!parts) continue;
    const month = MONTHS.indexOf(parts['month'] ?? '');
    const [hour = 0, minute = 0, second = 0] = (parts['time'] ?? '').split(':').map(Number);
    if (month < 0 || hour > 23 || minute > 59 || second > 60) return undefined;
    const year = fullYear(parts['year'] ?? '', now);
    return Date.UTC(year, month, Number(parts['day']), hour, minute, second);
  }
  return undefined;
}

/** A two-digit year more than 50 years ahead means the latest past year with these digits (RFC 9110, section 5.6.7). */
function fullYear(text: string, now: number): number {
  if (text.length === 4) return Number(text);
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(text);
  return year > thisYear + 50 ? year - 100 : year;
}
