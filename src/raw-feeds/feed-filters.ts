import { createHash } from 'node:crypto';
import { usageError } from '../base/errors.js';
import { didYouMean, nearestNames } from '../base/text.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { FeedNames } from '../service/records/fetch-records.js';

/** Maximum symbols of one filter (docs/spec/raw-feeds-api.md#filters). */
export const MAX_FILTER_SYMBOLS = 50;

/**
 * Converts filters to their canonical form (docs/spec/raw-feeds-api.md#filters): each channel once; channels
 * and symbols sorted and without duplicates. A filter without symbols selects its whole channel, even if
 * other filters name symbols.
 */
export function canonicalizeFilters(filters: readonly FeedFilter[]): readonly FeedFilter[] {
  const byChannel = new Map<string, ReadonlySet<string> | undefined>();
  for (const { channel, symbols = [] } of filters) {
    const known = byChannel.get(channel);
    const isAll = symbols.length === 0 || (byChannel.has(channel) && known === undefined);
    byChannel.set(channel, isAll ? undefined : new Set([...(known ?? []), ...symbols]));
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
  const parts = filters.map(({ symbols = [] }) => Math.ceil(symbols.length / MAX_FILTER_SYMBOLS));
  return Array.from({ length: Math.max(1, ...parts) }, (_, part) =>
    filters.flatMap((filter) => {
      if (!filter.symbols) return part === 0 ? [filter] : [];
      const symbols = filter.symbols.slice(part * MAX_FILTER_SYMBOLS, (part + 1) * MAX_FILTER_SYMBOLS);
      return symbols.length === 0 ? [] : [{ channel: filter.channel, symbols }];
    }),
  );
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
export function checkFilters(
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
