/** The data types with known columns (docs/spec/csv-files.md#data-types). An exchange may have others. */
export const DATA_TYPES = [
  'trades',
  'incremental_book_L2',
  'quotes',
  'book_ticker',
  'derivative_ticker',
  'liquidations',
  'options_chain',
  'book_snapshot_5',
  'book_snapshot_25',
] as const;

export type DataType = (typeof DATA_TYPES)[number];

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

const TRADE = [text('id'), text('side'), ...numbers('price', 'amount')];
const QUOTE = numbers('ask_amount', 'ask_price', 'bid_price', 'bid_amount');

const COLUMNS_BY_TYPE: Readonly<Record<DataType, readonly DayFileColumn[]>> = {
  trades: TRADE,
  liquidations: TRADE,
  incremental_book_L2: [
    { name: 'is_snapshot', kind: 'boolean' },
    text('side'),
    ...numbers('price', 'amount'),
  ],
  quotes: QUOTE,
  book_ticker: QUOTE,
  derivative_ticker: [
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
  options_chain: [
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
  book_snapshot_5: bookLevelColumns(5),
  book_snapshot_25: bookLevelColumns(25),
};

/** All columns of a data type, in the order of the file; undefined for an unknown type. */
export function dataTypeColumns(dataType: string): readonly DayFileColumn[] | undefined {
  if (!isDataType(dataType)) return undefined;
  return [...LEADING_COLUMNS, ...COLUMNS_BY_TYPE[dataType]];
}

export function isDataType(text: string): text is DataType {
  return (DATA_TYPES as readonly string[]).includes(text);
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
