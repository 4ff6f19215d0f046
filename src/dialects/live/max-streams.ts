/**
 * Maximum number of streams (channel and symbol) on one connection, by the exchanges' documentation. The
 * default is a number that all exchanges accept.
 */
const MAX_STREAMS: Readonly<Record<string, number>> = {
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
};

const DEFAULT_MAX_STREAMS = 200;

/** Maximum streams of one connection. */
export function maxStreamsPerConnection(exchange: string): number {
  return MAX_STREAMS[exchange] ?? DEFAULT_MAX_STREAMS;
}

/** Whether a subscription without symbols selects all symbols of a channel. */
export function supportsWholeChannels(exchange: string): boolean {
  return exchange === 'bitmex';
}
