/** The nine data types of the dataset host (service facts, CSV layouts). The record of an exchange may name more. */
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
 * What a column of a day file holds: `time` is integer microseconds since the epoch, UTC; `number` any decimal;
 * `boolean` the words true and false; `text` everything else.
 */
export type DayFileKind = 'text' | 'time' | 'boolean' | 'number';

/** What any column holds: `integer` is whole numbers, which only computed columns are. */
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

/** The four columns that every file begins with; they are never empty. */
export const LEADING_COLUMNS: readonly DayFileColumn[] = [
  text('exchange'),
  text('symbol'),
  time('timestamp'),
  time('local_timestamp'),
];

/** Whether a column's cells always have something in them. */
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

/** All columns of a data type, in the file's order; undefined for a type that isn't known here. */
export function dataTypeColumns(dataType: string): readonly DayFileColumn[] | undefined {
  if (!isDataType(dataType)) return undefined;
  return [...LEADING_COLUMNS, ...COLUMNS_BY_TYPE[dataType]];
}

export function isDataType(text: string): text is DataType {
  return (DATA_TYPES as readonly string[]).includes(text);
}

/** The best levels of both sides, as book snapshots have them. */
export function bookLevelColumns(depth: number): readonly DayFileColumn[] {
  return Array.from({ length: depth }, (_, i) =>
    numbers(`asks[${i}].price`, `asks[${i}].amount`, `bids[${i}].price`, `bids[${i}].amount`),
  ).flat();
}
