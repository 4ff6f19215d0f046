import { usageError } from '../base/errors.js';
import { VERSION } from '../base/packages.js';
import { measureSlices } from '../raw-feeds/slices/slice-files.js';
import {
  FIELDS,
  fetchExchanges,
  fetchRecord,
  listStoredExchanges,
} from '../service/records/fetch-records.js';
import { type HttpCall, type HttpHandler, sendJsonResponse } from './http-endpoints/http-call.js';
import type { CacheFacts, FoundSymbols, ListedExchange, ServerFacts } from './page-facts.js';
import { createContentSecurityPolicy, renderServerPage } from './render-server-page.js';
import type { ServeOptions, ServerContext } from './server-context.js';

/** Measuring a large cache takes a while. */
const CACHE_SIZE_MEMO = { forMs: 60_000, maxKeys: 1 };
/** An exchange may have 270,000 symbols, and the page sends a request for each typed letter. */
const NAMES_MEMO = { forMs: 600_000, maxKeys: 2 };

/** Creates the routes of the page at `/` and its JSON endpoints. */
export function createPageRoutes(context: ServerContext): Readonly<Record<string, HttpHandler>> {
  const { options, run } = context;
  const measureCache = memoizeForTime(measureSlices, CACHE_SIZE_MEMO);
  const listNames = memoizeForTime((exchange) => listExchangeNames(options, exchange), NAMES_MEMO);
  let page: ReturnType<typeof renderServerPage> | undefined;
  return {
    '/'(call) {
      page ??= renderServerPage();
      sendPage(call, page.html, createContentSecurityPolicy(page, call.request.headers.host));
    },
    async '/page/server'(call) {
      const { metrics } = await context.counts();
      const facts: ServerFacts = {
        version: VERSION,
        source: options.source,
        offline: options.feeds.offline,
        uptimeMs: Date.now() - metrics.startedMs,
        messages: metrics.messages,
      };
      sendJsonResponse(call, 200, facts);
    },
    async '/page/cache'(call) {
      const size = await measureCache(run.cache.feeds);
      const facts: CacheFacts = { ...size, limit: options.feeds.cacheLimit ?? null };
      sendJsonResponse(call, 200, facts);
    },
    async '/page/exchanges'(call) {
      sendJsonResponse(call, 200, await listExchanges(options));
    },
    async '/page/symbols'(call) {
      const exchange = call.query.get('exchange')?.trim().toLowerCase();
      if (!exchange) throw usageError('the query parameter "exchange" is missing');
      const { symbols, ...rest } = await listNames(exchange);
      const found: FoundSymbols = { ...findSymbols(symbols, call.query.get('search') ?? ''), ...rest };
      sendJsonResponse(call, 200, found);
    },
  };
}

function sendPage({ response }: HttpCall, html: string, policy: string): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(html);
}

/** Symbols of one exchange that can be replayed. */
export interface ExchangeNames {
  readonly symbols: readonly string[];
  /** UTC day, `YYYY-MM-DD`; set if the server uses day files. */
  readonly exportedUntil?: string;
}

/**
 * Lists all exchanges, or those with stored records if the service cannot be reached.
 * @throws like `fetchExchanges` if no record is stored either.
 */
async function listExchanges({ feeds, records }: ServeOptions): Promise<readonly ListedExchange[]> {
  const { client, offline } = feeds;
  try {
    const exchanges = await fetchExchanges(client, { cache: records, offline });
    return exchanges.map(({ id, name, availableSince, availableTo }) => ({
      id,
      name,
      availableSince,
      availableTo,
    }));
  } catch (error) {
    const stored = await listStoredExchanges(client.config.apiUrl, records);
    if (stored.length === 0) throw error;
    return stored.map((id) => ({ id }));
  }
}

/** Lists the symbols of an exchange's feeds or of its day files. @throws as `fetchRecord`. */
async function listExchangeNames(
  { source, feeds, records }: ServeOptions,
  exchange: string,
): Promise<ExchangeNames> {
  const fetchOptions = { cache: records, offline: feeds.offline };
  if (source === 'feeds')
    return { symbols: (await fetchRecord(feeds.client, exchange, FIELDS.names, fetchOptions)).symbols };
  const { datasets } = await fetchRecord(feeds.client, exchange, FIELDS.plan, fetchOptions);
  if (datasets === undefined) return { symbols: [] };
  return {
    symbols: datasets.symbols.map(({ id }) => id),
    exportedUntil: datasets.exportedUntil.slice(0, 10),
  };
}

/** Maximum number of names in one response. */
const MAX_OFFERED_SYMBOLS = 50;

/** Finds the names that contain a text, ignoring case; names that start with it come first. */
export function findSymbols(
  names: readonly string[],
  search: string,
): { readonly symbols: readonly string[]; readonly found: number } {
  const text = search.trim().toLowerCase();
  const beginning: string[] = [];
  const within: string[] = [];
  let found = 0;
  for (const name of names) {
    const at = name.toLowerCase().indexOf(text);
    if (at < 0) continue;
    found++;
    const list = at === 0 ? beginning : within;
    if (list.length < MAX_OFFERED_SYMBOLS) list.push(name);
  }
  return { symbols: [...beginning, ...within].slice(0, MAX_OFFERED_SYMBOLS), found };
}

/**
 * Caches the result of an asynchronous function by key for a limited time, including pending results. Failures are not
 * cached. @param maxKeys beyond this number the oldest result is removed.
 */
export function memoizeForTime<T>(
  compute: (key: string) => Promise<T>,
  { forMs, maxKeys }: { readonly forMs: number; readonly maxKeys: number },
  now = Date.now,
): (key: string) => Promise<T> {
  const cache = new Map<string, { readonly value: Promise<T>; readonly expiresMs: number }>();
  return (key) => {
    const cached = cache.get(key);
    if (cached && cached.expiresMs > now()) return cached.value;
    cache.delete(key);
    const [oldest = key] = cache.keys();
    if (cache.size >= maxKeys) cache.delete(oldest);
    const value = compute(key);
    cache.set(key, { value, expiresMs: now() + forMs });
    value.catch(() => cache.delete(key));
    return value;
  };
}
