/** How much happens on made-up markets, and which story it is. */
export interface MarketSize {
  /** Rows of trades, levels of book changes, tickers and liquidations: so many of each on each symbol and day. */
  readonly rows: number;
  readonly seed: number;
}
