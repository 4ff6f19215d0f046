/** Exchanges with lower-case symbols in channels, and so everywhere except in datasets. */
const LOWER_CASE: ReadonlySet<string> = new Set([
  'binance',
  'binance-us',
  'binance-futures',
  'binance-delivery',
  'huobi',
]);

/** The name of a dataset symbol in filters of the raw data API, records and instruments: `btcusdt` at Binance. */
export function toFeedSymbol(exchange: string, symbol: string): string {
  return LOWER_CASE.has(exchange) ? symbol.toLowerCase() : symbol;
}
