import { setMaxListeners } from 'node:events';
import { TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/text.js';
import {
  isGlob,
  resolveKnownSymbols,
  resolveSymbolLists,
  type SymbolChoice,
  toDatasetSymbol,
} from '../../day-files/dataset-symbol.js';
import { usRangeToMinutes } from '../../day-files/day.js';
import type { EventSink } from '../../events/run-events.js';
import { type FeedPlan, planFeed } from '../../exchange-adapters/feed-plan.js';
import { hasOwnNormalizers } from '../../exchange-adapters/own/normalizer-eras.js';
import {
  EXCHANGE_MESSAGE_TYPES,
  type ExchangeMessageTypeName,
  type NormalizedType,
} from '../../market/message-type-name.js';
import type { Period } from '../../market/trade-bars.js';
import type { FeedReadContext } from '../../raw-feeds/feed-read-context.js';
import {
  assertExchangeId,
  assertFetchable,
  lookUpFeed,
  type OpenedFeed,
  readStoredFeedNames,
  warnOfRecentMinutes,
} from '../../raw-feeds/open-feed.js';
import { type FeedNames, FIELDS, fetchRecord } from '../../service/records/fetch-records.js';

/** The selection from one exchange's feed; plain data. */
export interface FeedSource {
  readonly exchange: string;
  /** In any case; undefined for all. */
  readonly symbols: readonly string[] | undefined;
  readonly types: readonly NormalizedType[];
  /** Local times in microseconds; whole minutes. */
  readonly period: Period;
  /** Whether disconnects of the collector are output as messages. */
  readonly withDisconnects: boolean;
}

/** A selection before the exchange's symbols are known: some may be lists. */
interface RequestedFeedSource extends Omit<FeedSource, 'symbols'> {
  readonly symbols: readonly SymbolChoice[] | undefined;
}

/** A source that can be read. */
export interface OpenSource {
  /** Its symbols are spelled as in the exchange's record. */
  readonly source: FeedSource;
  /** One feed for each part of the period with the same filters, in order. */
  readonly feeds: readonly OpenedFeed[];
}

/** A source with its plan, and whether all of it is on disk. */
interface LocatedSource extends OpenSource {
  readonly plan: FeedPlan;
  readonly isOnDisk: boolean;
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
  run: FeedReadContext,
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
  run: FeedReadContext,
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
    if (located.isOnDisk) return located;
    assertFetchable(run, exchange, located.feeds);
  }
  const fresh = withRecordSymbols(requested, await fetchNames());
  if (fresh instanceof TickhaulError) throw fresh;
  const located = await locateSource(run, fresh);
  assertFetchable(run, exchange, located.feeds);
  if (!located.isOnDisk) warnOfRecentMinutes(run, usRangeToMinutes(period));
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

async function locateSource(run: FeedReadContext, source: FeedSource): Promise<LocatedSource> {
  const plan = await planFeed(source);
  const { exchange } = source;
  // A request without filters would select the whole exchange.
  const segments = plan.segments.filter(({ filters }) => filters.length > 0);
  const feeds = await Promise.all(
    segments.map((segment) =>
      lookUpFeed(run, { exchange, filters: segment.filters, range: usRangeToMinutes(segment) }),
    ),
  );
  return { source, plan, feeds, isOnDisk: feeds.every(({ isOnDisk }) => isOnDisk) };
}

/**
 * Converts symbols to the spelling of an exchange's record. They may be given in any case, or in the form of
 * day files.
 * @param known symbols of the record; if it lists none, symbols are returned unchanged.
 * @throws usage error for a symbol that the record does not list, with the nearest ones.
 */
function normalizeSymbols(
  exchange: string,
  requested: readonly string[],
  known: readonly string[],
): readonly string[] {
  if (known.length === 0) return requested;
  const exact = new Set(known);
  const byDatasetSymbol = new Map(known.map((symbol) => [toDatasetSymbol(symbol), symbol]));
  return requested.map((symbol) => {
    const spelling = exact.has(symbol) ? symbol : byDatasetSymbol.get(toDatasetSymbol(symbol));
    if (spelling !== undefined) return spelling;
    if (isGlob(symbol)) {
      throw usageError(`"${symbol}": --source feeds does not accept globs; list each symbol`);
    }
    const near = didYouMean(symbol, known) || `; run tickhaul symbols ${exchange} to list them`;
    throw usageError(`unknown symbol "${symbol}" on ${exchange}${near}`);
  });
}

/** Warns of types that an exchange lacks in all or part of the period; they are skipped there. */
function warnOfMissingTypes(
  { exchange, types }: FeedSource,
  { segments, missingTypes }: FeedPlan,
  emit: EventSink,
): void {
  const warn = (sources: readonly ExchangeMessageTypeName[], when: string): void => {
    const names = types.filter((type) => sources.some((source) => dependsOn(type, source)));
    if (names.length === 0) return;
    const list = names.map(({ name }) => name).join(' or ');
    emit({ event: 'warning', message: `${exchange} has no ${list} messages${when}; skipping them` });
  };
  warn(missingTypes, '');
  const found = new Set(segments.flatMap((segment) => segment.types));
  for (const segment of segments) {
    const absent = [...found].filter((type) => !segment.types.includes(type));
    warn(absent, ` from ${formatTime(segment.start)} to ${formatTime(segment.end)}`);
  }
}

function dependsOn({ dayFileType }: NormalizedType, source: ExchangeMessageTypeName): boolean {
  return EXCHANGE_MESSAGE_TYPES[source] === dayFileType;
}

/** Formats a time as `2026-04-28`, with hours and minutes unless it is midnight. @param time microseconds. */
function formatTime(time: number): string {
  return new Date(time / 1000)
    .toISOString()
    .replace(/:00\.000Z$/, '')
    .replace(/T00:00$/, '');
}
