import { createHash } from 'node:crypto';
import type { FeedFilter } from '../service/feed-filter.js';

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
