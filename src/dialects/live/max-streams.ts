/**
 * How many streams, that is channels of a symbol, an exchange takes on one connection by its own pages; where none is
 * named, a number that all take.
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

/** Streams that one connection may ask for. */
export function maxStreamsPerConnection(exchange: string): number {
  return MAX_STREAMS[exchange] ?? DEFAULT_MAX_STREAMS;
}

/** Whether a channel of all symbols is subscribed to without naming any. */
export function supportsWholeChannels(exchange: string): boolean {
  return exchange === 'bitmex';
}
