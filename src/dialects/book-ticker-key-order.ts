const BIDS_FIRST = ['bidPrice', 'bidAmount', 'askPrice', 'askAmount'];
const PRICES_FIRST = ['askPrice', 'askAmount', 'bidPrice', 'bidAmount'];

/** Exchanges whose book tickers have their keys in an order of their own (replay facts, section 3). */
const KEY_ORDERS: Readonly<Record<string, readonly string[]>> = {
  bitget: PRICES_FIRST,
  'bitget-futures': PRICES_FIRST,
  hyperliquid: BIDS_FIRST,
};

/** The order of a book ticker's own keys; undefined where it is that of most exchanges. */
export function bookTickerKeyOrder(exchange: string): readonly string[] | undefined {
  return KEY_ORDERS[exchange];
}
