/** Venues of exchanges whose venue is not the exchange's id. */
const VENUES: Readonly<Record<string, string>> = {
  'binance-dex': 'BINANCE',
  'binance-european-options': 'BINANCE',
  'binance-futures': 'BINANCE',
  'binance-jersey': 'BINANCE',
  'binance-options': 'BINANCE',
  'bitfinex-derivatives': 'BITFINEX',
  'bitget-futures': 'BITGET',
  'bybit-options': 'BYBIT',
  'bybit-spot': 'BYBIT',
  'coinbase-international': 'COINBASE_INTX',
  'ftx-us': 'FTX',
  'gate-io-futures': 'GATE_IO',
  'huobi-dm': 'HUOBI',
  'huobi-dm-linear-swap': 'HUOBI',
  'huobi-dm-options': 'HUOBI',
  'huobi-dm-swap': 'HUOBI_DELIVERY',
  'kucoin-futures': 'KUCOIN',
  'okex-futures': 'OKEX',
  'okex-options': 'OKEX',
  'okex-spreads': 'OKEX',
  'okex-swap': 'OKEX',
};

/** Exchanges whose perpetuals have `-PERP`. */
const PERP_EXCHANGES: ReadonlySet<string> = new Set([
  'binance',
  'binance-futures',
  'binance-us',
  'binance-dex',
  'binance-jersey',
  'dydx',
  'gate-io-futures',
]);

const BYBIT_EXCHANGES: ReadonlySet<string> = new Set(['bybit', 'bybit-spot', 'bybit-options']);

/** Formats an instrument id, `<SYMBOL>.<VENUE>` (docs/spec/nautilus-catalog.md#instrument-ids). */
export function formatInstrumentId(exchange: string, symbol: string, suffix: string): string {
  const venue = VENUES[exchange] ?? exchange.toUpperCase().replaceAll('-', '_');
  return `${symbol.toUpperCase()}${suffix}.${venue}`;
}

/** Whether ids of an exchange have a suffix that depends on the type of the instrument. */
export function hasSuffixRule(exchange: string): boolean {
  return PERP_EXCHANGES.has(exchange) || BYBIT_EXCHANGES.has(exchange);
}

/** Whether the suffix of a type also depends on whether the instrument is inverse. */
export function needsInverse(exchange: string, type: string | undefined): boolean {
  return BYBIT_EXCHANGES.has(exchange) && (type === 'perpetual' || type === 'future');
}

/**
 * The suffix of an instrument's symbol; undefined if a fact that it depends on is unknown.
 * @param type as in the exchange record: `spot`, `perpetual` …
 */
export function findSuffix(
  exchange: string,
  type: string | undefined,
  isInverse: boolean | undefined,
): string | undefined {
  if (!hasSuffixRule(exchange)) return '';
  if (type === undefined) return undefined;
  if (PERP_EXCHANGES.has(exchange)) return type === 'perpetual' ? '-PERP' : '';
  if (type === 'spot') return '-SPOT';
  if (type === 'option') return '-OPTION';
  if (!needsInverse(exchange, type)) return '';
  return isInverse === undefined ? undefined : isInverse ? '-INVERSE' : '-LINEAR';
}
