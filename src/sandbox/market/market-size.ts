/** Size and seed of the simulated markets. */
export interface MarketSize {
  /** Number of trades, levels of book changes, tickers and liquidations, each per symbol and day. */
  readonly rows: number;
  readonly seed: number;
}
