import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { TickhaulError, usageError } from '../base/errors.js';
import { didYouMean, nearestNames } from '../base/text.js';
import { isFirstDayOfMonth, type MinuteRange, MS_PER_MINUTE, msToDay } from '../day-files/day.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { FeedNames } from '../service/records/fetch-records.js';
import type { ServiceClient } from '../service/service-client.js';
import type { FeedReadContext, FeedRequest } from './feed-read-context.js';
import { describeMissing, type FeedPart, listMissing } from './slice-prefetcher.js';
import { isProvisional, readSliceIndex } from './slices/slice-index.js';

/** A request split into parts. */
export interface OpenedFeed {
  /** To be merged by local timestamp; ties go to the first part. All have the same minutes. */
  readonly parts: readonly FeedPart[];
  /** Whether all minutes of all parts are on disk. */
  readonly isOnDisk: boolean;
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
  if (unchecked.isOnDisk) return unchecked;
  const stored = await readStoredFeedNames(client, exchange, records);
  const known =
    stored && checkedOrRequested(requested, () => checkFilters(exchange, requested, stored, () => {}));
  const inStored = known ? await lookUpFeed(run, { ...request, filters: known }) : unchecked;
  if (inStored.isOnDisk) return inStored;
  // An unknown channel is reported before missing minutes.
  if (offline && stored) checkFilters(exchange, requested, stored, () => {});
  assertFetchable(run, exchange, [inStored]);
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
  return { parts, isOnDisk: parts.every((part) => listMissing(part).next().done === true) };
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
 * Checks that the minutes of feeds that are not on disk can be requested. First days of months need no key
 * (docs/spec/raw-feeds-api.md#slice-request).
 * @throws TickhaulError `not_exported` with `offline`; `no_access` for minutes that need a key if there is
 * none.
 */
export function assertFetchable(
  { client, offline }: FeedReadContext,
  exchange: string,
  feeds: readonly OpenedFeed[],
): void {
  const missing = offline ? describeMissing(feeds) : undefined;
  if (missing !== undefined) {
    throw new TickhaulError(
      'not_exported',
      `${exchange} ${missing}: not in the cache; run without --offline to fetch what is missing`,
    );
  }
  if (client.config.apiKey !== undefined) return;
  const restricted = describeMissing(feeds, (minute) => !isFirstDayOfMonth(msToDay(minute * MS_PER_MINUTE)));
  if (restricted === undefined) return;
  throw new TickhaulError(
    'no_access',
    `${exchange} ${restricted}: needs an API key; set TICKHAUL_API_KEY (without a key only first days of months are served)`,
  );
}

/** Maximum symbols of one filter (docs/spec/raw-feeds-api.md#filters). */
export const MAX_FILTER_SYMBOLS = 50;

/**
 * Converts filters to their canonical form (docs/spec/raw-feeds-api.md#filters): each channel once; channels
 * and symbols sorted and without duplicates. A filter without symbols selects its whole channel, even if
 * other filters name symbols.
 */
export function canonicalizeFilters(filters: readonly FeedFilter[]): readonly FeedFilter[] {
  const byChannel = new Map<string, Set<string> | undefined>();
  for (const { channel, symbols = [] } of filters) {
    // A client of the server may send tens of thousands of filters, so no set is copied.
    const known = byChannel.has(channel) ? byChannel.get(channel) : new Set<string>();
    for (const symbol of symbols) known?.add(symbol);
    byChannel.set(channel, symbols.length === 0 ? undefined : known);
  }
  return [...byChannel]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([channel, symbols]) => (symbols ? { channel, symbols: [...symbols].sort() } : { channel }));
}

/**
 * Splits canonical filters into sets that fit one request each and together select the same. With few symbols
 * there is a single set.
 */
export function splitFilters(filters: readonly FeedFilter[]): readonly (readonly FeedFilter[])[] {
  const sets: FeedFilter[][] = [[]];
  for (const filter of filters) {
    for (const [at, part] of splitFilter(filter).entries()) {
      const set = sets[at];
      if (set) set.push(part);
      else sets.push([part]);
    }
  }
  return sets;
}

function splitFilter(filter: FeedFilter): readonly FeedFilter[] {
  const { channel, symbols } = filter;
  if (!symbols) return [filter];
  return Array.from({ length: Math.ceil(symbols.length / MAX_FILTER_SYMBOLS) }, (_, i) => ({
    channel,
    symbols: symbols.slice(i * MAX_FILTER_SYMBOLS, (i + 1) * MAX_FILTER_SYMBOLS),
  }));
}

/** Canonical filters as text for requests and their hash: without spaces, the channel first. */
export function formatFilters(filters: readonly FeedFilter[]): string {
  return JSON.stringify(
    filters.map(({ channel, symbols }) => (symbols ? { channel, symbols } : { channel })),
  );
}

/**
 * Folder names in which slices of canonical filters may be: first tickhaul's, then those of the vendor's
 * clients, which write the same filters in other ways (docs/spec/raw-feeds-api.md#filter-hash).
 */
export function filterKeys(filters: readonly FeedFilter[]): readonly string[] {
  const texts = [
    formatFilters(filters),
    JSON.stringify(filters.map(({ channel, symbols = [] }) => ({ channel, symbols }))),
    JSON.stringify(filters.map(({ channel, symbols = null }) => ({ channel, symbols }))),
    JSON.stringify(filters.map(({ channel, symbols }) => (symbols ? { symbols, channel } : { channel }))),
  ];
  return [...new Set(texts.map((text) => createHash('sha256').update(text).digest('hex')))];
}

const MAX_SHOWN_SYMBOLS = 3;

/**
 * Checks filters against an exchange's record, and converts symbols to the record's spelling; they may be
 * given in any case.
 * @param warn called for symbols that the record does not list, since some channels have other symbols.
 * @throws usage error for a channel that the record does not list, with the nearest ones; a record without
 * channels accepts any.
 */
function checkFilters(
  exchange: string,
  filters: readonly FeedFilter[],
  { channels, symbols }: FeedNames,
  warn: (message: string) => void,
): readonly FeedFilter[] {
  const unknownChannel =
    channels.length > 0 ? filters.find(({ channel }) => !channels.includes(channel)) : undefined;
  if (unknownChannel) {
    const near = didYouMean(unknownChannel.channel, channels) || `; valid channels: ${channels.join(', ')}`;
    throw usageError(`unknown channel "${unknownChannel.channel}" of ${exchange}${near}`);
  }
  const listed = new Map(symbols.map((symbol) => [symbol.toUpperCase(), symbol]));
  const exact = new Set(symbols);
  const unknown = new Set<string>();
  const checked = filters.map(({ channel, symbols: requested }) => {
    if (!requested) return { channel };
    const own = requested.map((symbol) => {
      if (exact.has(symbol)) return symbol;
      const known = listed.get(symbol.toUpperCase());
      if (known === undefined) unknown.add(symbol);
      return known ?? symbol;
    });
    return { channel, symbols: own };
  });
  if (unknown.size > 0 && symbols.length > 0) warn(describeUnknownSymbols(exchange, [...unknown], symbols));
  return checked;
}

function describeUnknownSymbols(
  exchange: string,
  unknown: readonly string[],
  symbols: readonly string[],
): string {
  const [first = ''] = unknown;
  const near = nearestNames(first, symbols);
  const hint = unknown.length === 1 && near.length > 0 ? `; did you mean ${near.join(', ')}?` : '';
  const more = unknown.length > MAX_SHOWN_SYMBOLS ? ` and ${unknown.length - MAX_SHOWN_SYMBOLS} more` : '';
  return `the record of ${exchange} does not list ${unknown.slice(0, MAX_SHOWN_SYMBOLS).join(', ')}${more}: a channel may still have it${hint}`;
}
