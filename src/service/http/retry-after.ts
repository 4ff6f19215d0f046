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
 * Milliseconds to wait by a Retry-After header, seconds or a date (RFC 9110, section 10.2.3), or by the same in an
 * error body, where it may be a number; never negative, undefined for anything else.
 * @param now milliseconds since the epoch
 */
export function parseRetryAfter(asked: unknown, now: number): number | undefined {
  if (typeof asked === 'number') return secondsToMs(asked);
  const value = typeof asked === 'string' ? asked.trim() : '';
  if (/^\d+(\.\d+)?$/.test(value)) return secondsToMs(Number(value));
  const date = parseHttpDate(value, now);
  return date === undefined ? undefined : Math.max(0, date - now);
}

/** Whole milliseconds; more than any number can say is very long, and no reason not to wait. */
function secondsToMs(seconds: number): number | undefined {
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(seconds * 1000)));
}

/** The three forms of a date in HTTP (RFC 9110, section 5.6.7), as milliseconds since the epoch. */
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

/** A year of two digits that seems more than 50 years ahead is the last past one with these digits. */
function fullYear(text: string, now: number): number {
  if (text.length === 4) return Number(text);
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(text);
  return year > thisYear + 50 ? year - 100 : year;
}
