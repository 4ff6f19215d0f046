import { usageError } from '../../base/errors.js';
import { toDatasetSymbol } from '../../day-files/dataset-symbol.js';
import type { CatalogType, FixedPrecision } from './catalog-columns.js';
import { FIXED_LIMITS } from './fixed-point.js';

/** Facts of an instrument; undefined if they are not known. */
export interface InstrumentSettings {
  /** Decimals of prices and sizes. */
  readonly price?: number | undefined;
  readonly size?: number | undefined;
  /** What the id has after the symbol, such as `-PERP`. */
  readonly suffix?: string | undefined;
}

/** Settings of a job, as JSON. */
export interface CatalogSettings {
  readonly catalog: 'python' | 'rust';
  readonly precision: FixedPrecision;
  /** Name of the bars to make of trades, such as `trade_bar_1m`. */
  readonly bars?: string | undefined;
  /** Id of the only symbol. */
  readonly instrumentId?: string | undefined;
  /** Facts by symbol, in upper case; those of `*` are of all others. */
  readonly instruments: Readonly<Record<string, InstrumentSettings>>;
}

/** An instrument as the catalog has it. */
export interface CatalogInstrument {
  /** `<SYMBOL>.<VENUE>`. */
  readonly id: string;
  /** As in the source's cells. */
  readonly symbol: string;
  /** Decimals of prices and sizes. */
  readonly precision: { readonly price: number; readonly size: number };
}

/** Thrown for an instrument whose precision is neither in the settings nor in flags. */
export class UnknownPrecision extends Error {
  readonly symbol: string;
  readonly kinds: readonly ('price' | 'size')[];

  constructor(symbol: string, kinds: readonly ('price' | 'size')[]) {
    super(`unknown precision of ${symbol}`);
    this.symbol = symbol;
    this.kinds = kinds;
  }
}

/**
 * The instrument of a symbol as in the cells of a day file.
 * @throws UnknownPrecision; usage error if its id is unknown, or if its precision is too high.
 */
export function findInstrument(
  { instrumentId, instruments, precision }: CatalogSettings,
  exchange: string,
  symbol: string,
): CatalogInstrument {
  const facts =
    instruments[symbol.toUpperCase()] ?? instruments[toDatasetSymbol(symbol)] ?? instruments['*'] ?? {};
  if (instrumentId === undefined && facts.suffix === undefined) {
    throw usageError(
      `${exchange} ${symbol}: its instrument id depends on instrument metadata, which are not available; set --instrument-id`,
    );
  }
  const { price, size } = facts;
  if (price === undefined || size === undefined) {
    throw new UnknownPrecision(
      symbol,
      (['price', 'size'] as const).filter((kind) => facts[kind] === undefined),
    );
  }
  const { scale } = FIXED_LIMITS[precision];
  for (const [kind, decimals] of Object.entries({ price, size })) {
    if (decimals <= scale) continue;
    const advice = precision === 64 ? '--precision 128' : `--${kind}-precision ${scale}`;
    throw usageError(
      `${exchange} ${symbol}: ${precision} bits have ${scale} decimals, but its ${kind} precision is ${decimals}; set ${advice}`,
    );
  }
  const id = instrumentId ?? formatInstrumentId(exchange, symbol, facts.suffix ?? '');
  return { id, symbol, precision: { price, size } };
}

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
  const known = Object.hasOwn(VENUES, exchange) ? VENUES[exchange] : undefined;
  const venue = known ?? exchange.toUpperCase().replaceAll('-', '_');
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

/** Folders of types whose name differs in a catalog of the Rust version. */
const RUST_FOLDERS: Partial<Readonly<Record<CatalogType, string>>> = {
  trade_tick: 'trades',
  quote_tick: 'quotes',
  bar: 'bars',
};

/**
 * Path of a file in a catalog (docs/spec/nautilus-catalog.md#paths).
 * @param identifier instrument id, or bar type.
 * @param first time of the first row, and `last` of the last row, in nanoseconds.
 */
export function formatCatalogPath(
  catalog: 'python' | 'rust',
  type: CatalogType,
  identifier: string,
  first: bigint,
  last: bigint,
): string {
  const folder = (catalog === 'rust' ? RUST_FOLDERS[type] : undefined) ?? type;
  const name = formatCatalogName(catalog, identifier);
  return `data/${folder}/${name}/${formatTime(first)}_${formatTime(last)}.parquet`;
}

/** Name of the folder of an instrument id or bar type. */
export function formatCatalogName(catalog: 'python' | 'rust', identifier: string): string {
  const name = identifier.replaceAll('/', '');
  return catalog === 'rust' ? name.replaceAll('^', '_') : name;
}

/** `2024-03-01T00-00-00-000009000Z`. */
export function formatTime(nanoseconds: bigint): string {
  const seconds = new Date(Number(nanoseconds / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  const fraction = String(nanoseconds % 1_000_000_000n).padStart(9, '0');
  return `${seconds.replaceAll(':', '-')}-${fraction}Z`;
}
