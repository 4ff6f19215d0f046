import type { DataType } from '../../day-files/data-types.js';
import { GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import { addDays, type Day, formatDay, parseDay, parseTimeToDay } from '../../day-files/day.js';

/** A dataset symbol of an exchange record (`docs/spec/metadata-api.md#exchange-record`). */
export interface SandboxDatasetSymbol {
  readonly id: string;
  readonly type: string;
  /** ISO 8601. */
  readonly availableSince: string;
  /** ISO 8601; for a listed symbol, the end of the export. */
  readonly availableTo?: string;
  readonly dataTypes: readonly string[];
}

/** A symbol as in filters of the raw data API (`docs/spec/metadata-api.md#exchange-record`). */
export type SandboxAvailableSymbol = Omit<SandboxDatasetSymbol, 'dataTypes'>;

export interface SandboxDatasets {
  readonly formats: readonly string[];
  readonly exportedFrom: string;
  /** Not included. */
  readonly exportedUntil: string;
  readonly stats: { readonly trades: number; readonly bookChanges: number };
  readonly symbols: readonly SandboxDatasetSymbol[];
}

/** An exchange record of the metadata host (`docs/spec/metadata-api.md#exchange-record`). */
export interface SandboxExchange {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly supportsDatasets: boolean;
  readonly availableSince: string;
  readonly availableTo?: string;
  readonly delisted?: boolean;
  readonly availableChannels: readonly string[];
  readonly availableSymbols: readonly SandboxAvailableSymbol[];
  readonly incidentReports: readonly unknown[];
  readonly channelDetails: readonly unknown[];
  readonly datasets?: SandboxDatasets;
}

/** The synthetic exchanges, exported up to this day (not included). @param rows rows of each day file. */
export function createSyntheticExchanges(exportedUntil: Day, rows: number): readonly SandboxExchange[] {
  return EXCHANGE_OUTLINES.map((outline) => createExchange(outline, exportedUntil, rows));
}

/** Midnight of the day, in the service's format. */
export function formatMidnight(day: Day): string {
  return `${formatDay(day)}T00:00:00.000Z`;
}

/** Converts a dataset symbol to one of `availableSymbols`. */
export function toAvailableSymbol(
  exchange: string,
  { dataTypes: _, ...symbol }: SandboxDatasetSymbol,
): SandboxAvailableSymbol {
  return { ...symbol, id: toFeedSymbol(exchange, symbol.id) };
}

function createExchange(outline: ExchangeOutline, exportedUntil: Day, rows: number): SandboxExchange {
  const until = outline.until ?? formatMidnight(exportedUntil);
  const symbols = outline.symbols
    .map((symbol) => createDatasetSymbol(outline, symbol, exportedUntil, until))
    .filter((symbol) => symbol.availableSince < formatMidnight(exportedUntil));
  return {
    ...createSummary(outline),
    availableSymbols: symbols.map((symbol) => toAvailableSymbol(outline.id, symbol)),
    incidentReports: [
      {
        from: formatMidnight(addDays(parseDay(outline.since), 40)),
        to: `${formatDay(addDays(parseDay(outline.since), 40))}T00:12:00.000Z`,
        status: 'resolved',
        details: 'made-up: the collecting connection was down',
      },
    ],
    channelDetails: outline.channels.map((name) => ({
      name,
      description: `made-up channel ${name}`,
      availableSince: `${outline.since}T00:00:00.000Z`,
      apiVersion: 'v1',
    })),
    ...(outline.supportsDatasets === false
      ? {}
      : {
          datasets: {
            formats: ['csv'],
            exportedFrom: `${outline.since}T00:00:00.000Z`,
            exportedUntil: until,
            stats: {
              trades: rows * countExportedDays(symbols, 'trades'),
              bookChanges: rows * countExportedDays(symbols, 'incremental_book_L2'),
            },
            symbols,
          },
        }),
  };
}

/** Sum of the exported days of all symbols with the data type. Grouped symbols only repeat others. */
function countExportedDays(symbols: readonly SandboxDatasetSymbol[], dataType: string): number {
  let days = 0;
  for (const { id, dataTypes, availableSince, availableTo = '' } of symbols) {
    if (GROUPED_SYMBOLS.has(id)) continue;
    const since = parseTimeToDay(availableSince);
    const until = parseTimeToDay(availableTo);
    if (dataTypes.includes(dataType) && since !== undefined && until !== undefined) days += until - since;
  }
  return days;
}

function createSummary(
  outline: ExchangeOutline,
): Omit<SandboxExchange, 'availableSymbols' | 'incidentReports' | 'channelDetails'> {
  return {
    id: outline.id,
    name: outline.name,
    enabled: true,
    ...(outline.until === undefined ? {} : { delisted: true }),
    supportsDatasets: outline.supportsDatasets ?? true,
    availableSince: `${outline.since}T00:00:00.000Z`,
    ...(outline.until === undefined ? {} : { availableTo: outline.until }),
    availableChannels: outline.channels,
  };
}

function createDatasetSymbol(
  exchange: ExchangeOutline,
  symbol: SymbolOutline,
  exportedUntil: Day,
  until: string,
): SandboxDatasetSymbol {
  const since =
    symbol.listedDaysAgo === undefined
      ? `${symbol.since ?? exchange.since}T00:00:00.000Z`
      : formatMidnight(addDays(exportedUntil, -symbol.listedDaysAgo));
  return {
    id: symbol.id,
    type: symbol.type,
    availableSince: since,
    availableTo: symbol.until ?? until,
    dataTypes: symbol.dataTypes,
  };
}

/** Exchanges with lower-case symbols in channels, and so everywhere except in datasets. */
const LOWER_CASE: ReadonlySet<string> = new Set([
  'binance',
  'binance-us',
  'binance-futures',
  'binance-delivery',
  'huobi',
]);

/** The name of a dataset symbol in filters of the raw data API, records and instruments: `btcusdt` at Binance. */
export function toFeedSymbol(exchange: string, symbol: string): string {
  return LOWER_CASE.has(exchange) ? symbol.toLowerCase() : symbol;
}

export interface SymbolOutline {
  readonly id: string;
  readonly type: 'spot' | 'future' | 'perpetual' | 'option' | 'combo';
  readonly dataTypes: readonly DataType[];
  /** UTC day of the listing; that of the exchange by default. */
  readonly since?: string;
  /** Days before the end of the export at which the symbol was listed. */
  readonly listedDaysAgo?: number;
  /** Time of delisting, ISO 8601. Days that start before it are available. */
  readonly until?: string;
}

/** Properties of a synthetic exchange. */
export interface ExchangeOutline {
  readonly id: string;
  readonly name: string;
  /** UTC day; for an exchange with a feed, not before the start of the API version of its messages. */
  readonly since: string;
  /** Time at which the exchange closed, ISO 8601. */
  readonly until?: string;
  readonly supportsDatasets?: false;
  readonly channels: readonly string[];
  readonly symbols: readonly SymbolOutline[];
}

const BOOKS = ['incremental_book_L2', 'quotes', 'book_snapshot_5', 'book_snapshot_25'] as const;
const SPOT: readonly DataType[] = ['trades', ...BOOKS];
const DERIVATIVE: readonly DataType[] = ['trades', ...BOOKS, 'derivative_ticker', 'liquidations'];
const WITH_TICKER: readonly DataType[] = [...DERIVATIVE, 'book_ticker'];
const GROUPED: readonly DataType[] = ['trades', 'derivative_ticker', 'liquidations'];

/** A symbol without trades: each of its day files is an empty gzip file (`docs/spec/csv-files.md#empty-days`). */
export const QUIET_SYMBOL = 'QUIETUSDT';

const COINS =
  `BTC ETH SOL XRP DOGE ADA AVAX LINK DOT MATIC LTC BCH TRX ATOM UNI ETC XLM FIL APT ARB OP INJ NEAR SUI
  SEI TIA RUNE AAVE MKR SNX CRV COMP SUSHI YFI ALGO EGLD FTM SAND MANA AXS GALA CHZ ENJ THETA VET ICP HBAR
  EOS XTZ NEO KAVA ZEC DASH XMR IOTA QTUM BAT ZRX KNC OMG LRC STX GRT LDO 1INCH`.split(/\s+/);

const EXCHANGE_OUTLINES: readonly ExchangeOutline[] = [
  {
    id: 'bitmex',
    name: 'BitMEX',
    since: '2019-03-30',
    channels: ['trade', 'orderBookL2', 'liquidation', 'instrument', 'funding', 'quote'],
    symbols: [
      { id: 'XBTUSD', type: 'perpetual', dataTypes: DERIVATIVE },
      { id: 'ETHUSD', type: 'perpetual', dataTypes: DERIVATIVE },
      { id: 'XBTM20', type: 'future', dataTypes: DERIVATIVE, until: '2020-06-26T12:00:00.000Z' },
      { id: 'PERPETUALS', type: 'perpetual', dataTypes: GROUPED },
    ],
  },
  {
    id: 'deribit',
    name: 'Deribit',
    since: '2019-03-30',
    channels: ['book', 'deribit_price_index', 'markprice.options', 'perpetual', 'trades', 'ticker', 'quote'],
    symbols: [
      { id: 'BTC-PERPETUAL', type: 'perpetual', dataTypes: DERIVATIVE },
      { id: 'ETH-PERPETUAL', type: 'perpetual', dataTypes: DERIVATIVE },
      {
        id: 'BTC-27DEC24-100000-C',
        type: 'option',
        dataTypes: SPOT,
        since: '2023-12-28',
        until: '2024-12-27T08:00:00.000Z',
      },
      {
        id: 'BTC-FS-27DEC24_PERP',
        type: 'combo',
        dataTypes: SPOT,
        since: '2023-12-28',
        until: '2024-12-27T08:00:00.000Z',
      },
      { id: 'BTC-27DEC30-200000-C', type: 'option', dataTypes: SPOT },
      { id: 'OPTIONS', type: 'option', dataTypes: ['trades', 'quotes', 'options_chain'] },
      { id: 'PERPETUALS', type: 'perpetual', dataTypes: GROUPED },
    ],
  },
  {
    id: 'binance-futures',
    name: 'Binance USDT Futures',
    since: '2019-11-17',
    channels: [
      'trade',
      'aggTrade',
      'ticker',
      'depth',
      'depthSnapshot',
      'markPrice',
      'bookTicker',
      'forceOrder',
      'openInterest',
    ],
    symbols: [
      ...COINS.map((coin) => ({ id: `${coin}USDT`, type: 'perpetual' as const, dataTypes: WITH_TICKER })),
      { id: '币安人生USDT', type: 'perpetual', dataTypes: WITH_TICKER },
      { id: QUIET_SYMBOL, type: 'perpetual', dataTypes: WITH_TICKER },
      { id: 'NEWUSDT', type: 'perpetual', dataTypes: WITH_TICKER, listedDaysAgo: 3 },
      { id: 'LUNAUSDT', type: 'perpetual', dataTypes: WITH_TICKER, until: '2022-05-13T00:00:00.000Z' },
      {
        id: 'BTCUSDT_210326',
        type: 'future',
        dataTypes: DERIVATIVE,
        since: '2021-02-03',
        until: '2021-03-26T08:00:00.000Z',
      },
      { id: 'PERPETUALS', type: 'perpetual', dataTypes: GROUPED },
    ],
  },
  {
    id: 'coinbase',
    name: 'Coinbase Exchange',
    since: '2019-03-30',
    channels: ['match', 'full_snapshot', 'snapshot', 'l2update', 'ticker'],
    symbols: [
      { id: 'BTC-USD', type: 'spot', dataTypes: SPOT },
      { id: 'ETH-USD', type: 'spot', dataTypes: SPOT },
      { id: 'A+B-USD', type: 'spot', dataTypes: SPOT },
      { id: '100%-USD', type: 'spot', dataTypes: SPOT },
      { id: 'CAFÉ-USD', type: 'spot', dataTypes: SPOT },
      { id: 'SPOT', type: 'spot', dataTypes: ['trades'] },
    ],
  },
  {
    id: 'bybit',
    name: 'Bybit Derivatives',
    since: '2023-04-05',
    channels: ['publicTrade', 'orderbook.1', 'orderbook.50', 'tickers', 'liquidation', 'allLiquidation'],
    symbols: [
      { id: 'BTCUSDT', type: 'perpetual', dataTypes: WITH_TICKER },
      { id: 'ETHUSDT', type: 'perpetual', dataTypes: WITH_TICKER },
      { id: 'PERPETUALS', type: 'perpetual', dataTypes: GROUPED },
    ],
  },
  {
    id: 'okex-swap',
    name: 'OKX Swap',
    since: '2021-12-23',
    channels: [
      'trades',
      'trades-all',
      'books',
      'books-l2-tbt',
      'bbo-tbt',
      'tickers',
      'mark-price',
      'index-tickers',
      'open-interest',
      'funding-rate',
      'liquidations',
      'liquidation-orders',
    ],
    symbols: [
      { id: 'BTC-USDT-SWAP', type: 'perpetual', dataTypes: WITH_TICKER },
      { id: 'ETH-USDT-SWAP', type: 'perpetual', dataTypes: WITH_TICKER },
      { id: 'PERPETUALS', type: 'perpetual', dataTypes: GROUPED },
    ],
  },
  {
    id: 'lighter',
    name: 'Lighter',
    since: '2024-01-01',
    channels: ['order_book', 'trade', 'ticker', 'market_stats', 'spot_market_stats'],
    symbols: [
      { id: '0', type: 'perpetual', dataTypes: WITH_TICKER },
      { id: '1', type: 'perpetual', dataTypes: WITH_TICKER },
    ],
  },
  {
    id: 'kraken',
    name: 'Kraken',
    since: '2019-06-04',
    channels: ['trade', 'ticker', 'book', 'spread'],
    symbols: [
      { id: 'XBT-USD', type: 'spot', dataTypes: SPOT },
      { id: 'ETH-EUR', type: 'spot', dataTypes: SPOT },
    ],
  },
  {
    id: 'huobi',
    name: 'HTX',
    since: '2019-11-19',
    channels: ['depth', 'detail', 'trade', 'bbo', 'mbp'],
    symbols: [
      { id: 'BTCUSDT', type: 'spot', dataTypes: SPOT },
      { id: 'HTUSDT', type: 'spot', dataTypes: SPOT },
    ],
  },
  {
    id: 'ftx',
    name: 'FTX',
    since: '2019-08-01',
    until: '2022-11-13T00:00:00.000Z',
    channels: ['orderbook', 'trades', 'instrument', 'markets', 'ticker'],
    symbols: [
      { id: 'BTC-PERP', type: 'perpetual', dataTypes: DERIVATIVE },
      { id: 'FTT-USD', type: 'spot', dataTypes: SPOT },
    ],
  },
  {
    id: 'star-atlas',
    name: 'Star Atlas',
    since: '2021-12-01',
    supportsDatasets: false,
    channels: ['raw'],
    symbols: [{ id: 'ATLAS-USDC', type: 'spot', dataTypes: [] }],
  },
];
