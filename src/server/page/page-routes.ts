import { usageError } from '../../base/errors.js';
import { VERSION } from '../../base/version.js';
import { measureSlices } from '../../raw-feeds/cache/slice-files.js';
import { type HttpCall, type HttpHandler, sendJsonResponse } from '../http-endpoints/http-call.js';
import type { ServerContext } from '../server-context.js';
import { createContentSecurityPolicy } from './content-security-policy.js';
import { findSymbols } from './find-symbols.js';
import { listExchangeNames, listExchanges } from './list-exchanges.js';
import { memoizeForTime } from './memoize-for-time.js';
import type { CacheFacts, FoundSymbols, ServerFacts } from './page-facts.js';
import { renderServerPage } from './render-server-page.js';

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
