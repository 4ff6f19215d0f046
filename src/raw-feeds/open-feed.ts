import { setMaxListeners } from 'node:events';
import { TickhaulError, usageError } from '../base/errors.js';
import {
  isFirstDayOfMonth,
  type Minute,
  type MinuteRange,
  MS_PER_MINUTE,
  msToDay,
} from '../day-files/day.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { FeedNames } from '../service/records/fetch-records.js';
import type { ServiceClient } from '../service/service-client.js';
import {
  canonicalizeFilters,
  checkFilters,
  filterKeys,
  formatFilters,
  splitFilters,
} from './feed-filters.js';
import type { FeedReadContext, FeedRequest } from './feed-read-context.js';
import { describeMinutes, type FeedPart, listMissingMinutes } from './slice-prefetcher.js';
import { isProvisional, readSliceIndex } from './slices/slice-index.js';

/** A request split into parts, with the minutes to fetch. */
export interface OpenedFeed {
  /** To be merged by local timestamp; ties go to the first part. */
  readonly parts: readonly FeedPart[];
  /** Minutes that are not on disk, part by part. */
  readonly missing: readonly Minute[];
}

/** The record reader is loaded on demand: data on disk needs no record. */
const loadRecords = () => import('../service/records/fetch-records.js');

/**
 * Opens a feed: finds the minutes on disk, and checks that the others can be requested.
 * @param records folder with stored copies of exchange records.
 * @throws TickhaulError before any data is read: `usage` for an unknown exchange or channel; `not_exported`
 * for minutes missing with `offline`; `no_access` for minutes that need a key if there is none.
 */
export async function openFeed(
  run: FeedReadContext,
  request: FeedRequest,
  records: string,
): Promise<OpenedFeed> {
  const { client, offline, signal } = run;
  const { exchange, range } = request;
  assertExchangeId(exchange);
  // Each pending request adds a listener, so a large number of them is not a leak.
  setMaxListeners(0, signal);
  const requested = canonicalizeFilters(request.filters);
  const unchecked = await lookUpFeed(run, request);
  if (unchecked.missing.length === 0) return unchecked;
  const stored = await readStoredFeedNames(client, exchange, records);
  const known =
    stored && checkedOrRequested(requested, () => checkFilters(exchange, requested, stored, () => {}));
  const inStored = known ? await lookUpFeed(run, { ...request, filters: known }) : unchecked;
  if (inStored.missing.length === 0) return inStored;
  // An unknown channel is reported before missing minutes.
  if (offline && stored) checkFilters(exchange, requested, stored, () => {});
  assertFetchable(run, exchange, inStored.missing);
  const warn = (message: string): void => run.emit({ event: 'warning', message });
  const { FIELDS, fetchRecord } = await loadRecords();
  const names = await fetchRecord(client, exchange, FIELDS.names, { cache: records, signal });
  const filters = checkFilters(exchange, requested, names, warn);
  const feed = await lookUpFeed(run, { ...request, filters });
  warnOfRecentMinutes(run, range);
  return feed;
}

/** Checks an exchange id before its use in paths and URLs. @throws usage error. */
export function assertExchangeId(exchange: string): void {
  if (!/^[a-z0-9-]+$/.test(exchange)) throw usageError(`"${exchange}" is not an exchange id`);
}

/** A stored record may lack a new channel, so its errors count only if no fresh record can be requested. */
function checkedOrRequested(
  requested: readonly FeedFilter[],
  check: () => readonly FeedFilter[],
): readonly FeedFilter[] {
  try {
    return check();
  } catch {
    return requested;
  }
}

/** Finds a request's cached minutes on disk, without verifying them. */
export async function lookUpFeed(
  { cache }: FeedReadContext,
  { exchange, range, filters }: FeedRequest,
): Promise<OpenedFeed> {
  const sets = splitFilters(canonicalizeFilters(filters));
  const parts = await Promise.all(
    sets.map(async (set) => {
      const keys = filterKeys(set);
      const [key = ''] = keys;
      const index = await readSliceIndex(cache.feeds, exchange, keys, range);
      const text = set.length > 0 ? formatFilters(set) : undefined;
      return { exchange, filters: text, key, range, index, partCount: sets.length };
    }),
  );
  return { parts, missing: parts.flatMap((part) => [...listMissingMinutes(part)]) };
}

/** Channels and symbols of the stored record, of any age; undefined if there is none. */
export async function readStoredFeedNames(
  client: ServiceClient,
  exchange: string,
  records: string,
): Promise<FeedNames | undefined> {
  const { FIELDS, fetchRecord } = await loadRecords();
  try {
    return await fetchRecord(client, exchange, FIELDS.names, { cache: records, offline: true });
  } catch (error) {
    if (error instanceof TickhaulError && error.code === 'not_exported') return undefined;
    throw error;
  }
}

/** To be called if missing minutes will be fetched. */
export function warnOfRecentMinutes({ emit }: FeedReadContext, range: MinuteRange): void {
  if (!isProvisional(range, Date.now())) return;
  const message = 'minutes that ended less than 30 minutes ago may be incomplete: they are not cached';
  emit({ event: 'warning', message });
}

/**
 * Checks that missing minutes can be requested. First days of months need no key
 * (docs/spec/raw-feeds-api.md#slice-request).
 * @throws TickhaulError `not_exported` with `offline`; `no_access` for minutes that need a key if there is
 * none.
 */
export function assertFetchable(
  { client, offline }: FeedReadContext,
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
  const restricted = missing.filter((minute) => !isFirstDayOfMonth(msToDay(minute * MS_PER_MINUTE)));
  if (restricted.length === 0) return;
  throw new TickhaulError(
    'no_access',
    `${exchange} ${describeMinutes(restricted)}: needs an API key; set TICKHAUL_API_KEY (without a key only first days of months are served)`,
  );
}
