const BARS = 'bars are made of trades: -t trades --convert parquet --as trade_bar_1m';

/** Words that people use for data types, and what they want by them. */
const HINTS: Readonly<Record<string, string>> = {
  ...named(BARS, 'ohlc ohlcv bar bars candle candles candlestick candlesticks kline klines'),
  ...named('did you mean trades?', 'tick ticks fills executions'),
  ...named(
    'did you mean incremental_book_L2?',
    'book books orderbook order_book depth l2 level2 book_change',
  ),
  ...named('did you mean book_snapshot_25, book_snapshot_5?', 'snapshot snapshots book_snapshot'),
  ...named('did you mean quotes, book_ticker?', 'bbo quote top_of_book best_bid_ask l1 level1'),
  ...named(
    'did you mean derivative_ticker?',
    'funding funding_rate funding_rates open_interest oi mark_price index_price ticker',
  ),
  ...named('did you mean options_chain?', 'option options option_summary greeks iv'),
};

function named(hint: string, words: string): Readonly<Record<string, string>> {
  return Object.fromEntries(words.split(' ').map((word) => [word, hint]));
}

/** What to say behind an unknown data type that is another word for a known one; else nothing. */
export function dataTypeHint(word: string): string {
  const key = word.toLowerCase().replace(/[\s-]+/g, '_');
  return Object.hasOwn(HINTS, key) ? `; ${HINTS[key]}` : '';
}
