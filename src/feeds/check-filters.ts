import { usageError } from '../base/errors.js';
import { didYouMean, nearestNames } from '../base/nearest-names.js';
import type { FeedFilter } from '../service/feed-filter.js';
import type { FeedNames } from '../service/records/fetch-records.js';

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
