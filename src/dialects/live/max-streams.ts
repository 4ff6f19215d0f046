import type { FeedFilter } from '../../service/feed-filter.js';

/**
 * Maximum number of streams (channel and symbol) on one connection, by the exchanges' documentation. The
 * default is a number that all exchanges accept.
 */
const MAX_STREAMS: Readonly<Record<string, number>> = {
  aster: 1024,
  'aster-futures': 200,
  binance: 1024,
  'binance-us': 1024,
  'binance-futures': 1024,
  'binance-delivery': 1024,
  bitget: 1000,
  'bitget-futures': 1000,
  deribit: 500,
  hyperliquid: 1000,
  kucoin: 400,
  'kucoin-futures': 400,
  lighter: 500,
  mexc: 30,
  polymarket: 500,
};

const DEFAULT_MAX_STREAMS = 200;

/** Maximum streams of one connection. */
export function maxStreamsPerConnection(exchange: string): number {
  return MAX_STREAMS[exchange] ?? DEFAULT_MAX_STREAMS;
}

/** Splits filters among as few connections as the exchange's documented limit allows. */
export function splitByStreams(
  exchange: string,
  filters: readonly FeedFilter[],
): readonly (readonly FeedFilter[])[] {
  const max = MAX_STREAMS[exchange] ?? Number.POSITIVE_INFINITY;
  const streams = filters.flatMap(({ channel, symbols }) =>
    symbols === undefined ? [{ channel }] : symbols.map((symbol) => ({ channel, symbols: [symbol] })),
  );
  if (streams.length <= max) return [filters];
  const parts = Array.from({ length: Math.ceil(streams.length / max) }, (_, i) =>
    streams.slice(i * max, (i + 1) * max),
  );
  return parts.map(mergeByChannel);
}

function mergeByChannel(streams: readonly FeedFilter[]): readonly FeedFilter[] {
  const channels = new Map<string, readonly string[] | undefined>();
  for (const { channel, symbols } of streams) {
    channels.set(channel, symbols && [...(channels.get(channel) ?? []), ...symbols]);
  }
  return [...channels].map(([channel, symbols]) => ({ channel, ...(symbols && { symbols }) }));
}

/** Whether a subscription without symbols selects all symbols of a channel. */
export function supportsWholeChannels(exchange: string): boolean {
  return exchange === 'bitmex';
}
