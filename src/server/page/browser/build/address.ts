import { urlPort, webSocketPort } from '../../../ports.js';
import { namesOf } from '../names.js';

/** The options of each endpoint, by the names of the form's fields (service interface, Local replay server). */
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

/** What stands in the fields of the form; of a box that is ticked `true`. */
export type Draft = Readonly<Partial<Record<FieldName, string>>>;

export interface Origins {
  readonly http: string;
  readonly ws: string;
}

/** Fields that an endpoint can't do without, where it has them. */
const REQUIRED: readonly FieldName[] = ['exchange', 'dataTypes', 'from', 'to'];

/** Whether an endpoint takes a list of options, and merges what they give. */
export function takesList(endpoint: Endpoint): boolean {
  return endpoint.endsWith('-normalized');
}

export function isSocket(endpoint: Endpoint): boolean {
  return endpoint.startsWith('/ws-');
}

/** @param page what of the page's own address counts. */
export function originsOf(page: {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  readonly origin: string;
}): Origins {
  return { http: page.origin, ws: `ws://${page.hostname}:${webSocketPort(urlPort(page))}` };
}

/** The address of an endpoint with its options. @param drafts one; or several, where the endpoint takes a list. */
export function addressOf(endpoint: Endpoint, drafts: readonly Draft[], origins: Origins): string {
  const address = (isSocket(endpoint) ? origins.ws : origins.http) + endpoint;
  const options = drafts.map((draft) => optionsOf(endpoint, draft));
  if (endpoint !== '/ws-replay') {
    const value = options.length === 1 ? options[0] : options;
    return `${address}?options=${encodeURIComponent(JSON.stringify(value))}`;
  }
  const query = Object.entries(options[0] ?? {}).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  return `${address}?${query.join('&')}`;
}

/** The fields that an endpoint needs, and that are empty in one of the drafts. */
export function missingFields(endpoint: Endpoint, drafts: readonly Draft[]): readonly FieldName[] {
  const fields: readonly FieldName[] = ENDPOINTS[endpoint];
  return REQUIRED.filter(
    (name) => fields.includes(name) && drafts.some((draft) => readField(name, draft[name]) === undefined),
  );
}

function optionsOf(endpoint: Endpoint, draft: Draft): Readonly<Record<string, unknown>> {
  const fields: readonly FieldName[] = ENDPOINTS[endpoint];
  const values = fields.map((name) => [name, readField(name, draft[name])] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** What a field says; undefined where it says nothing. */
function readField(name: FieldName, text = ''): unknown {
  const plain = text.trim();
  if (plain === '') return undefined;
  switch (name) {
    case 'symbols':
    case 'dataTypes':
      return namesOf(plain).length === 0 ? undefined : namesOf(plain);
    case 'filters':
      return filtersOf(plain);
    case 'timeoutIntervalMS':
      return Number(plain);
    case 'withDisconnects':
    case 'withDisconnectMessages':
    case 'withErrorMessages':
      return true;
    default:
      return plain;
  }
}

/** A line a channel: `trade`, or `trade: XBTUSD, ETHUSD`. */
function filtersOf(text: string): readonly object[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [channel = '', symbols = ''] = line.split(/:(.*)/s);
      const names = namesOf(symbols);
      return { channel: channel.trim(), ...(names.length > 0 && { symbols: names }) };
    });
}
