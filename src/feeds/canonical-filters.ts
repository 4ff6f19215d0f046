import { createHash } from 'node:crypto';
import type { FeedFilter } from '../service/feed-filter.js';

/** Symbols that one filter may hold (service interface, Limits). */
export const MAX_FILTER_SYMBOLS = 50;

/**
 * The same selection in the one form that a cache goes by (replay facts, section 1): a channel once, channels and
 * symbols sorted and once each. A filter without symbols takes all of its channel, whatever others of it name.
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
 * Canonical filters as several that a request may hold each; together they select the same. One where there are few
 * symbols.
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

/** As they stand in a request, and as their hash is made of: no spaces, the channel first. */
export function formatFilters(filters: readonly FeedFilter[]): string {
  return JSON.stringify(
    filters.map(({ channel, symbols }) => (symbols ? { channel, symbols } : { channel })),
  );
}

/**
 * Names of the folders that slices of canonical filters may lie in: first ours, then those of the vendor's clients,
 * which write the same filters in other ways (replay facts, section 1).
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
