/**
 * Kind of a day file's column (docs/spec/csv-files.md#column-kinds): `time` is integer microseconds since the
 * epoch, UTC; `number` any decimal; `boolean` the words true and false; `text` everything else.
 */
export type DayFileKind = 'text' | 'time' | 'boolean' | 'number';

/** Kind of any column. Only computed columns have `integer`. */
export type ColumnKind = DayFileKind | 'integer';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

export interface DayFileColumn extends Column {
  readonly kind: DayFileKind;
}

const text = (name: string): DayFileColumn => ({ name, kind: 'text' });
const time = (name: string): DayFileColumn => ({ name, kind: 'time' });
const numbers = (...names: string[]): DayFileColumn[] => names.map((name) => ({ name, kind: 'number' }));

/** The first four columns of every file. Their cells are never empty. */
export const LEADING_COLUMNS: readonly DayFileColumn[] = [
  text('exchange'),
  text('symbol'),
  time('timestamp'),
  time('local_timestamp'),
];

/** Whether the column's cells always have a value. */
export function isNeverEmpty({ name }: Column): boolean {
  return LEADING_COLUMNS.some((column) => column.name === name);
}

/** Statistics of an exchange record that count rows. */
export type RowStatistic = 'trades' | 'bookChanges';

/** What distinguishes a data type from others. */
export interface DataTypeProperties {
  /** The columns after the leading ones, in the order of the file. */
  readonly columns: readonly DayFileColumn[];
  /**
   * Where the best bid and ask are: in a book that is built from the rows (`changes`), or in two columns of each row.
   * Undefined if the rows are not states of one book.
   */
  readonly bestPrices?: 'changes' | readonly [bid: string, ask: string];
  /** Whether prices may be negative. */
  readonly hasNegativePrices?: true;
  /** The only symbol that has files, if one file has the rows of all symbols of a kind. */
  readonly onlySymbol?: string;
  /** The statistic that the number of rows is proportional to, and the data type whose rows it counts. */
  readonly counted?: { readonly statistic: RowStatistic; readonly as: string };
  /** Usual rows per day of an active symbol, and compressed bytes per row. */
  readonly usual: { readonly rows: number; readonly bytesPerRow: number };
}

const TRADE = [text('id'), text('side'), ...numbers('price', 'amount')];
const QUOTE = numbers('ask_amount', 'ask_price', 'bid_price', 'bid_amount');
const BEST_QUOTE = ['bid_price', 'ask_price'] as const;
const BEST_LEVEL = ['bids[0].price', 'asks[0].price'] as const;
const AS_TRADES = { statistic: 'trades', as: 'trades' } as const;
const AS_CHANGES = { statistic: 'bookChanges', as: 'incremental_book_L2' } as const;

/**
 * The data types with known columns (docs/spec/csv-files.md#data-types). An exchange may have others.
 *
 * Bytes per row were measured on real files: incremental_book_L2 79 to 144 MB for 12 to 24 million rows, options_chain
 * 9.5 GB for 100 million. Rows per day are orders of magnitude: a quiet symbol has a thousandth.
 */
const PROPERTIES = {
  trades: { columns: TRADE, counted: AS_TRADES, usual: { rows: 500_000, bytesPerRow: 14 } },
  incremental_book_L2: {
    columns: [{ name: 'is_snapshot', kind: 'boolean' }, text('side'), ...numbers('price', 'amount')],
    bestPrices: 'changes',
    counted: AS_CHANGES,
    usual: { rows: 15_000_000, bytesPerRow: 6.5 },
  },
  quotes: {
    columns: QUOTE,
    bestPrices: BEST_QUOTE,
    counted: AS_CHANGES,
    usual: { rows: 2_500_000, bytesPerRow: 12 },
  },
  book_ticker: {
    columns: QUOTE,
    bestPrices: BEST_QUOTE,
    counted: AS_CHANGES,
    usual: { rows: 5_000_000, bytesPerRow: 12 },
  },
  derivative_ticker: {
    columns: [
      time('funding_timestamp'),
      ...numbers(
        'funding_rate',
        'predicted_funding_rate',
        'open_interest',
        'last_price',
        'index_price',
        'mark_price',
      ),
    ],
    usual: { rows: 90_000, bytesPerRow: 24 },
  },
  liquidations: { columns: TRADE, counted: AS_TRADES, usual: { rows: 1000, bytesPerRow: 30 } },
  options_chain: {
    columns: [
      text('type'),
      ...numbers('strike_price'),
      time('expiration'),
      ...numbers(
        'open_interest',
        'last_price',
        'bid_price',
        'bid_amount',
        'bid_iv',
        'ask_price',
        'ask_amount',
        'ask_iv',
        'mark_price',
        'mark_iv',
      ),
      text('underlying_index'),
      ...numbers('underlying_price', 'delta', 'gamma', 'vega', 'theta', 'rho'),
    ],
    hasNegativePrices: true,
    onlySymbol: 'OPTIONS',
    usual: { rows: 50_000_000, bytesPerRow: 95 },
  },
  book_snapshot_5: {
    columns: bookLevelColumns(5),
    bestPrices: BEST_LEVEL,
    counted: AS_CHANGES,
    usual: { rows: 1_000_000, bytesPerRow: 40 },
  },
  book_snapshot_25: {
    columns: bookLevelColumns(25),
    bestPrices: BEST_LEVEL,
    counted: AS_CHANGES,
    usual: { rows: 1_000_000, bytesPerRow: 120 },
  },
} as const satisfies Readonly<Record<string, DataTypeProperties>>;

export type DataType = keyof typeof PROPERTIES;

/** In the order in which they are listed. */
export const DATA_TYPES = Object.keys(PROPERTIES) as readonly DataType[];

/** The properties of a data type; undefined if its columns are not known. */
export function findDataType(dataType: string): DataTypeProperties | undefined {
  return isDataType(dataType) ? PROPERTIES[dataType] : undefined;
}

/** All columns of a data type, in the order of the file; undefined for an unknown type. */
export function dataTypeColumns(dataType: string): readonly DayFileColumn[] | undefined {
  const known = findDataType(dataType);
  return known && [...LEADING_COLUMNS, ...known.columns];
}

/** The data types with the columns of a known one, which a header cannot tell apart. */
export function typesWithColumnsOf(dataType: string): readonly string[] {
  const known = findDataType(dataType);
  return DATA_TYPES.filter((other) => known && PROPERTIES[other].columns === known.columns);
}

/** Whether a data type is known to have a column besides the leading ones. */
export function hasColumn(dataType: string, name: string): boolean {
  return findDataType(dataType)?.columns.some((column) => column.name === name) ?? false;
}

export function isDataType(text: string): text is DataType {
  return Object.hasOwn(PROPERTIES, text);
}

/** The columns of the best levels of both sides in a book snapshot. */
export function bookLevelColumns(depth: number): readonly DayFileColumn[] {
  return Array.from({ length: depth }, (_, i) =>
    numbers(`asks[${i}].price`, `asks[${i}].amount`, `bids[${i}].price`, `bids[${i}].amount`),
  ).flat();
}

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
