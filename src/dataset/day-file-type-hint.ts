const BARS = 'bars are computed from trades: -t trades --convert parquet --as trade_bar_1m';

/** Other words for data types, each with the hint that follows it in an error. */
const HINTS: Readonly<Record<string, string>> = {
  ...mapWordsTo(BARS, 'ohlc ohlcv bar bars candle candles candlestick candlesticks kline klines'),
  ...mapWordsTo('did you mean trades?', 'tick ticks fills executions'),
  ...mapWordsTo(
    'did you mean incremental_book_L2?',
    'book books orderbook order_book depth l2 level2 book_change',
  ),
  ...mapWordsTo('did you mean book_snapshot_25, book_snapshot_5?', 'snapshot snapshots book_snapshot'),
  ...mapWordsTo('did you mean quotes, book_ticker?', 'bbo quote top_of_book best_bid_ask l1 level1'),
  ...mapWordsTo(
    'did you mean derivative_ticker?',
    'funding funding_rate funding_rates open_interest oi mark_price index_price ticker',
  ),
  ...mapWordsTo('did you mean options_chain?', 'option options option_summary greeks iv'),
};

function mapWordsTo(hint: string, words: string): Readonly<Record<string, string>> {
  return Object.fromEntries(words.split(' ').map((word) => [word, hint]));
}

/** A hint to append to the error about an unknown data type; empty if the word is not a known synonym. */
export function dayFileTypeHint(word: string): string {
  const key = word.toLowerCase().replace(/[\s-]+/g, '_');
  return Object.hasOwn(HINTS, key) ? `; ${HINTS[key]}` : '';
}
