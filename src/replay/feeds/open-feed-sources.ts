import { setMaxListeners } from 'node:events';
import { TickhaulError } from '../../base/errors.js';
import { resolveKnownSymbols, resolveSymbolLists } from '../../dataset/dataset-symbol.js';
import { type Minute, usRangeToMinutes } from '../../dataset/minute.js';
import { type FeedPlan, planFeed } from '../../dialects/feed-plan.js';
import { hasOwnNormalizers } from '../../dialects/own/normalizer-eras.js';
import type { FeedRun } from '../../feeds/feed-run.js';
import {
  assertExchangeId,
  assertFetchable,
  lookUpFeed,
  readStoredFeedNames,
  warnOfRecentMinutes,
} from '../../feeds/open-feed.js';
import { type FeedNames, FIELDS, fetchRecord } from '../../service/records/fetch-records.js';
import type { FeedSource, OpenSource, RequestedFeedSource } from './feed-source.js';
import { normalizeSymbols } from './normalize-symbols.js';
import { warnOfMissingTypes } from './warn-of-missing-types.js';

/** A source with its plan and the minutes that are not on disk. */
interface LocatedSource extends OpenSource {
  readonly plan: FeedPlan;
  readonly missing: readonly Minute[];
}

/**
 * Opens the raw feeds of normalized messages: finds the channels they are computed from, the minutes on disk,
 * and whether the others can be requested. Symbols are checked against the exchange's stored record; a fresh
 * record is requested only if a slice is missing.
 * @param records folder with stored copies of exchange records.
 * @throws TickhaulError before any data is read: `usage` for an unknown exchange or symbol, or for types that
 * the exchange lacks entirely or that cannot be normalized; `not_exported` for minutes missing with
 * `offline`; `no_access` for minutes that need a key if there is none.
 */
export async function openFeedSources(
  run: FeedRun,
  sources: readonly RequestedFeedSource[],
  records: string,
): Promise<readonly OpenSource[]> {
  // Each pending request adds a listener, so a large number of them is not a leak.
  setMaxListeners(0, run.signal);
  for (const { exchange } of sources) assertExchangeId(exchange);
  const opened = await Promise.all(sources.map((source) => openSource(run, source, records)));
  for (const { source, plan } of opened) warnOfMissingTypes(source, plan, run.emit);
  return opened.map(({ source, feeds }) => ({
    source,
    // All sources share the run's requests.
    feeds: feeds.map((feed) => ({
      ...feed,
      parts: feed.parts.map((part) => ({ ...part, partCount: part.partCount * sources.length })),
    })),
  }));
}

async function openSource(
  run: FeedRun,
  requested: RequestedFeedSource,
  records: string,
): Promise<LocatedSource> {
  const { client, offline, signal } = run;
  const { exchange, period } = requested;
  const fetchNames = (): Promise<FeedNames> =>
    fetchRecord(client, exchange, FIELDS.names, { cache: records, signal });
  const readStoredNames = (): Promise<FeedNames | undefined> =>
    readStoredFeedNames(client, exchange, records);
  const inStored = withRecordSymbols(requested, requested.symbols && (await readStoredNames()));
  // The stored copy may lack a new symbol, so its error counts only if no fresh record can be requested.
  if (inStored instanceof TickhaulError && offline) throw inStored;
  if (!(inStored instanceof TickhaulError)) {
    const located = await locateSource(run, inStored).catch(async (error: unknown) => {
      // For an unknown exchange, report that instead of its missing types.
      const isKnown = hasOwnNormalizers(exchange);
      if (!offline && !isKnown && !(await readStoredNames())) await fetchNames();
      throw error;
    });
    if (located.missing.length === 0) return located;
    assertFetchable(run, exchange, located.missing);
  }
  const fresh = withRecordSymbols(requested, await fetchNames());
  if (fresh instanceof TickhaulError) throw fresh;
  const located = await locateSource(run, fresh);
  assertFetchable(run, exchange, located.missing);
  if (located.missing.length > 0) warnOfRecentMinutes(run, usRangeToMinutes(period));
  return located;
}

/** Spells the symbols as in a record; returns the error for a symbol that the record does not list. */
function withRecordSymbols(
  source: RequestedFeedSource,
  names: FeedNames | undefined,
): FeedSource | TickhaulError {
  const { exchange } = source;
  try {
    if (source.symbols === undefined) return { ...source, symbols: undefined };
    if (names === undefined) return { ...source, symbols: resolveSymbolLists(source.symbols, () => []) };
    const symbols = resolveKnownSymbols(source.symbols, () => names.symbols, exchange);
    return { ...source, symbols: [...new Set(normalizeSymbols(exchange, symbols, names.symbols))] };
  } catch (error) {
    if (error instanceof TickhaulError) return error;
    throw error;
  }
}

async function locateSource(run: FeedRun, source: FeedSource): Promise<LocatedSource> {
  const plan = await planFeed(source);
  const { exchange } = source;
  // A request without filters would select the whole exchange.
  const segments = plan.segments.filter(({ filters }) => filters.length > 0);
  const feeds = await Promise.all(
    segments.map((segment) =>
      lookUpFeed(run, { exchange, filters: segment.filters, range: usRangeToMinutes(segment) }),
    ),
  );
  const missing = feeds.flatMap((feed) => feed.missing);
  return { source, plan, feeds, missing };
}
