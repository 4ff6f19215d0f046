import { setMaxListeners } from 'node:events';
import { TickhaulError } from '../../base/errors.js';
import { type Minute, usRangeToMinutes } from '../../dataset/minute.js';
import { type FeedPlan, planFeed } from '../../dialects/feed-plan.js';
import { isDivisible } from '../../dialects/symbol-shares.js';
import { hasUnsupportedMessages } from '../../dialects/unsupported-messages.js';
import type { FeedRun } from '../../feeds/feed-run.js';
import {
  assertExchangeId,
  assertFetchable,
  lookUpFeed,
  readStoredFeedNames,
  warnOfRecentMinutes,
} from '../../feeds/open-feed.js';
import { type FeedNames, fetchFeedNames } from '../../service/records/feed-names.js';
import type { FeedSource, OpenSource } from './feed-source.js';
import { normalizeSymbols } from './normalize-symbols.js';
import { warnOfMissingTypes } from './warn-of-missing-types.js';

/** A source with what of it isn't on disk. */
interface LocatedSource extends OpenSource {
  readonly plan: FeedPlan;
  readonly missing: readonly Minute[];
}

/**
 * Finds out which raw data normalized messages are made of, what of it is on disk, and whether the rest can be asked
 * for. Symbols are checked against the exchange's record: its stored copy, and a fresh one only where a slice is missing.
 * @param records folder of the exchange records' stored copies.
 * @throws TickhaulError, before anything of it can be read: `usage` for an unknown exchange or symbol, for types that an
 * exchange lacks altogether or that can't be normalized; `not_exported` for minutes that are missing under `offline`;
 * `no_access` for those that need a key where there is none.
 */
export async function openFeedSources(
  run: FeedRun,
  sources: readonly FeedSource[],
  records: string,
): Promise<readonly OpenSource[]> {
  // Each request under way listens to it, and that is no leak.
  setMaxListeners(0, run.signal);
  for (const { exchange } of sources) assertExchangeId(exchange);
  const opened = await Promise.all(sources.map((source) => openSource(run, source, records)));
  for (const { source, plan } of opened) warnOfMissingTypes(source, plan, run.emit);
  return opened.map(({ source, feeds, isDivisible }) => ({
    source,
    isDivisible,
    // They share the run's requests.
    feeds: feeds.map((feed) => ({
      ...feed,
      parts: feed.parts.map((part) => ({ ...part, share: part.share * sources.length })),
    })),
  }));
}

async function openSource(run: FeedRun, asked: FeedSource, records: string): Promise<LocatedSource> {
  const { client, offline, signal } = run;
  const { exchange, period } = asked;
  const fetchNames = (): Promise<FeedNames> => fetchFeedNames(client, exchange, { cache: records, signal });
  const readStored = (): Promise<FeedNames | undefined> => readStoredFeedNames(client, exchange, records);
  // A record may take a while to read.
  const inCopy = asked.symbols ? withRecordSymbols(asked, await readStored()) : asked;
  // The copy may be older than a symbol: where anything can be asked for, a fresh record has the last word.
  if (inCopy instanceof TickhaulError && offline) throw inCopy;
  if (!(inCopy instanceof TickhaulError)) {
    const found = await locateSource(run, inCopy).catch(async (error: unknown) => {
      // An exchange that nobody knows has no type either.
      if (!offline && !hasUnsupportedMessages(exchange) && !(await readStored())) await fetchNames();
      throw error;
    });
    if (found.missing.length === 0) return found;
    assertFetchable(run, exchange, found.missing);
  }
  const fresh = withRecordSymbols(asked, await fetchNames());
  if (fresh instanceof TickhaulError) throw fresh;
  const found = await locateSource(run, fresh);
  assertFetchable(run, exchange, found.missing);
  if (found.missing.length > 0) warnOfRecentMinutes(run, usRangeToMinutes(period));
  return found;
}

/** With its symbols as a record has them, or the error for one that it doesn't list. */
function withRecordSymbols(source: FeedSource, names: FeedNames | undefined): FeedSource | TickhaulError {
  const { exchange, symbols } = source;
  if (symbols === undefined || names === undefined) return source;
  try {
    return { ...source, symbols: [...new Set(normalizeSymbols(exchange, symbols, names.symbols))] };
  } catch (error) {
    if (error instanceof TickhaulError) return error;
    throw error;
  }
}

async function locateSource(run: FeedRun, source: FeedSource): Promise<LocatedSource> {
  const plan = await planFeed(source);
  const { exchange } = source;
  // No filters would ask for all that there is.
  const segments = plan.segments.filter(({ filters }) => filters.length > 0);
  const feeds = await Promise.all(
    segments.map((segment) =>
      lookUpFeed(run, { exchange, filters: segment.filters, range: usRangeToMinutes(segment) }),
    ),
  );
  const missing = feeds.flatMap((feed) => feed.missing);
  return { source, plan, feeds, missing, isDivisible: isDivisible(exchange, plan) };
}
