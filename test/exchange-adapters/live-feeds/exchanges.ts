/** Exchanges without required accounts whose real-time API is supported. */
export const SUBSCRIBING_EXCHANGES: readonly string[] = `
  ascendex binance binance-delivery binance-european-options binance-futures binance-us bitfinex
  bitfinex-derivatives bitflyer bitget bitget-futures bitmex bitnomial bitstamp blockchain-com
  bybit bybit-options bybit-spot coinbase crypto-com cryptofacilities delta deribit dydx-v4 gate-io
  gate-io-futures gemini hitbtc huobi huobi-dm huobi-dm-linear-swap huobi-dm-swap hyperliquid
  kraken kucoin kucoin-futures okcoin okex okex-futures okex-options okex-spreads okex-swap phemex
  poloniex upbit woo-x
`
  .trim()
  .split(/\s+/);
