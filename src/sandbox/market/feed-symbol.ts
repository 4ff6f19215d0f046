/** Exchanges whose channels, and so all but the datasets, name symbols in lower case (replay facts, sections 3 and 9). */
const LOWER_CASE: ReadonlySet<string> = new Set([
  'binance',
  'binance-us',
  'binance-futures',
  'binance-delivery',
  'huobi',
]);

/** What filters of the raw data API, records and instruments call a dataset symbol: `btcusdt` at Binance. */
export function toFeedSymbol(exchange: string, symbol: string): string {
  return LOWER_CASE.has(exchange) ? symbol.toLowerCase() : symbol;
}
