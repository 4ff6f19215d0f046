/**
 * How many streams, that is channels of a symbol, an exchange takes on one connection by its own pages; where none is
 * named, a number that all take.
 */
const MOST: Readonly<Record<string, number>> = {
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

const ANYWHERE = 200;

/** Streams that one connection may ask for. */
export function mostStreams(exchange: string): number {
  return MOST[exchange] ?? ANYWHERE;
}

/** Whether a channel of all symbols is subscribed to without naming any. */
export function takesWholeChannels(exchange: string): boolean {
  return exchange === 'bitmex';
}
