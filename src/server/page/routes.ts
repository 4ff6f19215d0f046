import { usageError } from '../../base/errors.js';
import { VERSION } from '../../base/version.js';
import { measureSlices } from '../../feeds/cache/measure.js';
import { type Answer, type Call, sendJson } from '../http/call.js';
import type { Serving } from '../serving.js';
import { findSymbols } from './find-symbols.js';
import { renderPage } from './html.js';
import { listExchanges, namesOfExchange } from './names.js';
import { policyOf } from './policy.js';
import { remembered } from './remember.js';
import type { CacheFacts, FoundSymbols, ServerFacts } from './types.js';

/** Looking at each slice takes a while in a large cache. */
const CACHE = { forMs: 60_000, most: 1 };
/** An exchange may have 270,000 symbols, and who types asks often. */
const NAMES = { forMs: 600_000, most: 2 };

/** The page at `/`, and what it asks for. */
export function pageRoutes(serving: Serving): Readonly<Record<string, Answer>> {
  const { options, run } = serving;
  const sizeOf = remembered(measureSlices, CACHE);
  const namesOf = remembered((exchange) => namesOfExchange(options, exchange), NAMES);
  let page: ReturnType<typeof renderPage> | undefined;
  return {
    '/'(call) {
      page ??= renderPage();
      sendPage(call, page.html, policyOf(page, call.request.headers.host));
    },
    async '/page/server'(call) {
      const { metrics } = await serving.counts();
      const facts: ServerFacts = {
        version: VERSION,
        source: options.source,
        offline: options.feeds.offline,
        uptimeMs: Date.now() - metrics.startedMs,
        messages: metrics.messages,
      };
      sendJson(call, 200, facts);
    },
    async '/page/cache'(call) {
      const size = await sizeOf(run.cache.feeds);
      const facts: CacheFacts = { ...size, limit: options.feeds.cacheLimit ?? null };
      sendJson(call, 200, facts);
    },
    async '/page/exchanges'(call) {
      sendJson(call, 200, await listExchanges(options));
    },
    async '/page/symbols'(call) {
      const exchange = call.query.get('exchange')?.trim().toLowerCase();
      if (!exchange) throw usageError('the query parameter "exchange" is missing');
      const { symbols, ...more } = await namesOf(exchange);
      const found: FoundSymbols = { ...findSymbols(symbols, call.query.get('search') ?? ''), ...more };
      sendJson(call, 200, found);
    },
  };
}

function sendPage({ response }: Call, html: string, policy: string): void {
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
