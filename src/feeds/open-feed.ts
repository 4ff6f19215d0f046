import { setMaxListeners } from 'node:events';
import { TickhaulError, usageError } from '../base/errors.js';
import { isFirstDayOfMonth, msToDay } from '../dataset/day.js';
import { type Minute, type MinuteRange, MS_PER_MINUTE } from '../dataset/minute.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { ServiceClient } from '../service/http/service-client.js';
import type { FeedNames } from '../service/records/feed-names.js';
import { isProvisional, readSliceIndex } from './cache/slice-index.js';
import { canonicalizeFilters, filterKeys, formatFilters, splitFilters } from './canonical-filters.js';
import { checkFilters } from './check-filters.js';
import type { FeedRequest, FeedRun } from './feed-run.js';
import { describeMinutes, type FeedPart, listMissingMinutes } from './read/slice-prefetcher.js';

/** What of a request is asked for together, and what is still to be fetched. */
export interface OpenedFeed {
  /** To be merged by local timestamp; ties go to the first. */
  readonly parts: readonly FeedPart[];
  /** Minutes that aren't on disk, part by part. */
  readonly missing: readonly Minute[];
}

/** What reads records is loaded where one is needed: for what is on disk, none is. */
const loadNames = () => import('../service/records/feed-names.js');

/**
 * Finds out what of a request is on disk, and whether the rest can be asked for.
 * @param records folder of the exchange records' stored copies.
 * @throws TickhaulError, before anything of it can be read: `usage` for an unknown exchange or channel; `not_exported`
 * for minutes that are missing under `offline`; `no_access` for those that need a key where there is none.
 */
export async function openFeed(run: FeedRun, request: FeedRequest, records: string): Promise<OpenedFeed> {
  const { client, offline, signal } = run;
  const { exchange, range } = request;
  assertExchangeId(exchange);
  // Each request under way listens to it, and that is no leak.
  setMaxListeners(0, signal);
  const asked = canonicalizeFilters(request.filters);
  const asWritten = await lookUpFeed(run, request);
  if (asWritten.missing.length === 0) return asWritten;
  const stored = await readStoredFeedNames(client, exchange, records);
  const known = stored && checkedOr(asked, () => checkFilters(exchange, asked, stored, () => {}));
  const inCopy = known ? await lookUpFeed(run, { ...request, filters: known }) : asWritten;
  if (inCopy.missing.length === 0) return inCopy;
  // Its error goes first.
  if (offline && stored) checkFilters(exchange, asked, stored, () => {});
  assertFetchable(run, exchange, inCopy.missing);
  const warn = (message: string): void => run.emit({ event: 'warning', message });
  const { fetchFeedNames } = await loadNames();
  const names = await fetchFeedNames(client, exchange, { cache: records, signal });
  const filters = checkFilters(exchange, asked, names, warn);
  const feed = await lookUpFeed(run, { ...request, filters });
  warnOfRecentMinutes(run, range);
  return feed;
}

/** What stands in a path and in an address. @throws usage error. */
export function assertExchangeId(exchange: string): void {
  if (!/^[a-z0-9-]+$/.test(exchange)) throw usageError(`"${exchange}" is no exchange id`);
}

/** A stored copy may be older than a channel: where anything can be asked for, a fresh one has the last word. */
function checkedOr(asked: readonly FeedFilter[], check: () => readonly FeedFilter[]): readonly FeedFilter[] {
  try {
    return check();
  } catch {
    return asked;
  }
}

/** What of a request is on disk; nothing is checked. */
export async function lookUpFeed(
  { cache }: FeedRun,
  { exchange, range, filters }: FeedRequest,
): Promise<OpenedFeed> {
  const sets = splitFilters(canonicalizeFilters(filters));
  const parts = await Promise.all(
    sets.map(async (set) => {
      const keys = filterKeys(set);
      const [key = ''] = keys;
      const index = await readSliceIndex(cache.feeds, exchange, keys, range);
      const text = set.length > 0 ? formatFilters(set) : undefined;
      return { exchange, filters: text, key, range, index, share: sets.length };
    }),
  );
  return { parts, missing: parts.flatMap((part) => [...listMissingMinutes(part)]) };
}

/** Of the record's stored copy, of any age; undefined where there is none. */
export async function readStoredFeedNames(
  client: ServiceClient,
  exchange: string,
  records: string,
): Promise<FeedNames | undefined> {
  const { fetchFeedNames } = await loadNames();
  try {
    return await fetchFeedNames(client, exchange, { cache: records, offline: true });
  } catch (error) {
    if (error instanceof TickhaulError && error.code === 'not_exported') return undefined;
    throw error;
  }
}

/** To be called where something was missing that is fetched now. */
export function warnOfRecentMinutes({ emit }: FeedRun, range: MinuteRange): void {
  if (!isProvisional(range, Date.now())) return;
  const message =
    'minutes that ended less than 30 minutes ago may not be complete yet: they are not kept in the cache';
  emit({ event: 'warning', message });
}

/**
 * First days of months are served to everybody (service interface, Data API keys).
 * @throws TickhaulError where minutes can't be asked for: `not_exported` under `offline`; `no_access` for those that
 * need a key where there is none.
 */
export function assertFetchable(
  { client, offline }: FeedRun,
  exchange: string,
  missing: readonly Minute[],
): void {
  if (offline && missing.length > 0) {
    throw new TickhaulError(
      'not_exported',
      `${exchange} ${describeMinutes(missing)}: not in the cache; run without --offline to fetch what is missing`,
    );
  }
  if (client.config.apiKey !== undefined) return;
  const closed = missing.filter((minute) => !isFirstDayOfMonth(msToDay(minute * MS_PER_MINUTE)));
  if (closed.length === 0) return;
  throw new TickhaulError(
    'no_access',
    `${exchange} ${describeMinutes(closed)}: needs an API key: set TICKHAUL_API_KEY; without one only first days of months are served`,
  );
}
