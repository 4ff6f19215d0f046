import { urlPort, webSocketPort } from '../../../endpoints.js';
import { splitNames } from '../name-list.js';

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
