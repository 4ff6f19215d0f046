import { toOneLine } from '../base/text.js';

/**
 * Whether the same request may succeed soon: the server failed (5xx), stopped waiting for the request (408), or did
 * not want to process it so early (425). Balancers also send 408 on idle connections, where it can meet a request
 * that has just been sent. None of the peers processed the request.
 */
export function isTemporaryFailure(status: number): boolean {
  return status === 408 || status === 425 || status >= 500;
}

const MAX_TITLE_LENGTH = 120;
const PAGE_START =
  /^[\ufeff\s]*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,1000}>\s*)?<(?:!doctype\s+html|html|head)\b/i;
/** Bounded, since a page may repeat the start of a tag thousands of times. */
const TITLES = [/<title\b[^>]{0,200}>([^<]{1,1000})/i, /<h1\b[^>]{0,200}>([^<]{1,1000})/i];
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
};

/**
 * The title of an HTML page, or its first heading, in one short line; empty if it has neither.
 * @returns undefined if the body is no HTML page.
 */
export function findPageTitle(contentType: string | undefined, body: string): string | undefined {
  const isPage =
    /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType ?? '') || PAGE_START.test(body);
  if (!isPage) return undefined;
  const title = TITLES.map((pattern) => pattern.exec(body)?.[1]?.trim()).find(Boolean) ?? '';
  // Sanitize last: an entity may stand for a control character.
  return toOneLine(decodeEntities(title), MAX_TITLE_LENGTH);
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{1,8}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? entity;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}

/**
 * Describes a 401 or 403 with an HTML page. The services here refuse with JSON or XML, so such a page is that of a
 * server before them, and says nothing about the key.
 * @param title of the page, without secrets.
 */
export function describeFrontRefusal(status: number, title: string): string {
  const quote = title === '' ? '' : `: "${title}"`;
  return `a proxy, firewall or sign-in page before the service refused the request (${status})${quote}; check the network and the proxy settings`;
}

/** Whether a response with a page is a refusal by a server before the service. */
export function isFrontRefusal(status: number, title: string | undefined): title is string {
  return title !== undefined && (status === 401 || status === 403);
}

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
