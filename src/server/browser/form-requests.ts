import {
  addDays,
  type Day,
  formatDay,
  isFirstDayOfMonth,
  msToDay,
  parseTimeToDay,
} from '../../day-files/day.js';
import { urlPort, webSocketPort } from '../endpoints.js';

/** Options of each endpoint, as names of the form's fields (`docs/spec/local-server.md#options`). */
export const ENDPOINTS = {
  '/replay': ['exchange', 'filters', 'from', 'to', 'withDisconnects'],
  '/replay-normalized': ['exchange', 'symbols', 'dataTypes', 'from', 'to', 'withDisconnectMessages'],
  '/ws-replay': ['exchange', 'from', 'to', 'session'],
  '/ws-replay-normalized': ['exchange', 'symbols', 'dataTypes', 'from', 'to', 'withDisconnectMessages'],
  '/ws-stream-normalized': [
    'exchange',
    'symbols',
    'dataTypes',
    'withDisconnectMessages',
    'timeoutIntervalMS',
    'withErrorMessages',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Endpoint = keyof typeof ENDPOINTS;
export type FieldName = (typeof ENDPOINTS)[Endpoint][number];

/** Values of the form's fields; `true` for a checked box. */
export type Draft = Readonly<Partial<Record<FieldName, string>>>;

export interface Origins {
  readonly http: string;
  readonly ws: string;
}

/** Fields that every endpoint with them requires. */
const REQUIRED: readonly FieldName[] = ['exchange', 'dataTypes', 'from', 'to'];

/** Whether an endpoint accepts a list of options and merges their messages. */
export function acceptsList(endpoint: Endpoint): boolean {
  return endpoint.endsWith('-normalized');
}

export function isSocket(endpoint: Endpoint): boolean {
  return endpoint.startsWith('/ws-');
}

/** Derives the server's origins from the page's address. */
export function readOrigins(page: {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  readonly origin: string;
}): Origins {
  return { http: page.origin, ws: `ws://${page.hostname}:${webSocketPort(urlPort(page))}` };
}

/** Builds the address of an endpoint. @param drafts one, or several if the endpoint accepts a list. */
export function buildAddress(endpoint: Endpoint, drafts: readonly Draft[], origins: Origins): string {
  const address = (isSocket(endpoint) ? origins.ws : origins.http) + endpoint;
  const options = drafts.map((draft) => readOptions(endpoint, draft));
  if (endpoint !== '/ws-replay') {
    const value = options.length === 1 ? options[0] : options;
    return `${address}?options=${encodeURIComponent(JSON.stringify(value))}`;
  }
  const query = Object.entries(options[0] ?? {}).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  return `${address}?${query.join('&')}`;
}

/** Required fields of an endpoint that are empty in at least one draft. */
export function missingFields(endpoint: Endpoint, drafts: readonly Draft[]): readonly FieldName[] {
  const fields: readonly FieldName[] = ENDPOINTS[endpoint];
  return REQUIRED.filter(
    (name) => fields.includes(name) && drafts.some((draft) => readField(name, draft[name]) === undefined),
  );
}

function readOptions(endpoint: Endpoint, draft: Draft): Readonly<Record<string, unknown>> {
  const fields: readonly FieldName[] = ENDPOINTS[endpoint];
  const values = fields.map((name) => [name, readField(name, draft[name])] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Converts a field to its option value; undefined if the field is empty. */
function readField(name: FieldName, text = ''): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  switch (name) {
    case 'symbols':
    case 'dataTypes':
      return splitNames(trimmed).length === 0 ? undefined : splitNames(trimmed);
    case 'filters':
      return parseFilters(trimmed);
    case 'timeoutIntervalMS':
      return Number(trimmed);
    case 'withDisconnects':
    case 'withDisconnectMessages':
    case 'withErrorMessages':
      return true;
    default:
      return trimmed;
  }
}

/** Parses filters, one line per channel: `trade`, or `trade: XBTUSD, ETHUSD`. */
function parseFilters(text: string): readonly object[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [channel = '', symbols = ''] = line.split(/:(.*)/s);
      const names = splitNames(symbols);
      return { channel: channel.trim(), ...(names.length > 0 && { symbols: names }) };
    });
}

/** Values of the viewer's form. */
export interface WatchForm {
  readonly exchange: string;
  readonly symbol: string;
  readonly from: string;
  readonly to: string;
  readonly trade: boolean;
  readonly book: boolean;
  readonly ticker: boolean;
}

/** Data types of the form's boxes. The chart shows the prices of the first selected one. */
const TYPES = [
  { box: 'trade', dataType: 'trade', type: 'trade' },
  { box: 'book', dataType: 'book_snapshot_10_100ms', type: 'book_snapshot' },
  { box: 'ticker', dataType: 'derivative_ticker', type: 'derivative_ticker' },
] as const;

/** Path of the request, and the type of the messages with the chart's prices. */
export interface WatchRequest {
  readonly path: string;
  readonly priceType: string;
}

/** Creates the request of a form. @throws Error with a message for the user if a field is missing. */
export function createWatchRequest(form: WatchForm): WatchRequest {
  const chosen = TYPES.filter(({ box }) => form[box]);
  const [first] = chosen;
  if (first === undefined) throw new Error('Select what to show: trades, book or derivative ticker.');
  for (const name of ['exchange', 'symbol', 'from', 'to'] as const) {
    if (form[name].trim() === '')
      throw new Error(`Fill in the ${name === 'from' || name === 'to' ? 'period' : name}.`);
  }
  const options = {
    exchange: form.exchange,
    symbols: [form.symbol.trim()],
    from: form.from.trim(),
    to: form.to.trim(),
    dataTypes: chosen.map(({ dataType }) => dataType),
    withDisconnectMessages: true,
  };
  return {
    path: `/replay-normalized?options=${encodeURIComponent(JSON.stringify(options))}`,
    priceType: first.type,
  };
}

/**
 * Fraction of a period before a position, 0 to 1; 0 if the period's texts are not times.
 * @param position milliseconds since the epoch.
 */
export function computeProgress({ from, to }: Pick<WatchForm, 'from' | 'to'>, position: number): number {
  const [start, end] = [parseTime(from), parseTime(to)];
  const progress = (position - start) / (end - start);
  return Number.isFinite(progress) ? Math.min(1, Math.max(0, progress)) : 0;
}

/** Parses a time to milliseconds since the epoch; UTC unless the text has another zone. */
function parseTime(text: string): number {
  const normalized = text.trim().replace(' ', 'T');
  return Date.parse(/T.*(?:Z|[+-]\d\d:?\d\d)$|^[\d-]*$/i.test(normalized) ? normalized : `${normalized}Z`);
}

/** Well-known exchanges and symbols, in order of preference. */
const KNOWN_EXCHANGES = ['binance-futures', 'bitmex', 'deribit', 'binance'];
const KNOWN_SYMBOLS = ['BTCUSDT', 'XBTUSD', 'BTC-PERPETUAL', 'BTC-USDT-SWAP', 'BTC-USD'];

/** The exchange selected first; empty if there is none. */
export function chooseExchange(ids: readonly string[]): string {
  return KNOWN_EXCHANGES.find((id) => ids.includes(id)) ?? ids[0] ?? '';
}

/** The symbol selected first for an exchange; empty if there is none. */
export function chooseSymbol(symbols: readonly string[]): string {
  const known = KNOWN_SYMBOLS.map((symbol) => symbols.find((name) => name.toUpperCase() === symbol));
  return known.find((name) => name !== undefined) ?? symbols[0] ?? '';
}

/**
 * The first hour of the latest first day of a month with data: these days need no key.
 * @param until end of the data, ISO 8601; undefined for now.
 */
export function choosePeriod(
  until: string | undefined,
  now: number,
): { readonly from: string; readonly to: string } {
  const today = msToDay(now);
  const end = until === undefined ? today : Math.min(parseTimeToDay(until) ?? today, today);
  // The last day may not be complete yet.
  let day = addDays(end as Day, -1);
  while (!isFirstDayOfMonth(day)) day = addDays(day, -1);
  return { from: `${formatDay(day)}T00:00`, to: `${formatDay(day)}T01:00` };
}

/** Splits a list of names at commas and white space. */
export function splitNames(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}

/** Adds a name to a list of names, or removes it if present. */
export function toggleName(text: string, name: string): string {
  const names = splitNames(text);
  return (names.includes(name) ? names.filter((other) => other !== name) : [...names, name]).join(', ');
}

/** Splits a list before its last name, which the user is typing. */
export function splitLast(text: string): { readonly before: string; readonly last: string } {
  const last = /[^\s,]*$/.exec(text)?.[0] ?? '';
  return { before: text.slice(0, text.length - last.length), last };
}
