const BIDS_FIRST = ['bidPrice', 'bidAmount', 'askPrice', 'askAmount'];
const PRICES_FIRST = ['askPrice', 'askAmount', 'bidPrice', 'bidAmount'];

/** Exchanges with another order of keys in book tickers (docs/spec/normalized-messages.md#book_ticker). */
const KEY_ORDERS: Readonly<Record<string, readonly string[]>> = {
  bitget: PRICES_FIRST,
  'bitget-futures': PRICES_FIRST,
  hyperliquid: BIDS_FIRST,
};

/** Order of a book ticker's four keys; undefined for the usual order. */
export function bookTickerKeyOrder(exchange: string): readonly string[] | undefined {
  return KEY_ORDERS[exchange];
}
