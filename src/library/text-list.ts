import type { DataType } from '../day-files/data-types.js';
import type { ExchangeMessageTypeName } from '../market/message-type-name.js';

/** Values as a list, or as one string separated by commas. */
export type TextList = string | readonly string[];

/** Names as a list, or as one string separated by commas, whose first name is checked. */
type NameList<Name extends string> = Name | `${Name},${string}` | readonly Name[];

/**
 * A data type of day files, as in file names. For one that the service has added since this version, assert the type of
 * the text: `'new_type' as DataType`. Names are checked against the exchange's record in each run.
 */
export type DataTypeName = DataType | `book_snapshot_${number}`;

/** Data types, or `all`. */
export type DataTypeList = NameList<DataTypeName | 'all'>;

type TimeUnit = 'ms' | 's' | 'm';

/** A type that is computed from messages, or from the rows of day files. */
export type ComputedTypeName =
  | `trade_bar_${number}${TimeUnit | 'ticks' | 'vol'}`
  | 'trade_bar_1h'
  | 'trade_bar_1d'
  | `book_snapshot_${number}_${number}${TimeUnit}`
  | `book_snapshot_${number}_grouped${number}_${number}${TimeUnit}`
  | 'quote'
  | `quote_${number}${TimeUnit}`;

/** Computed types, and `rows` for the rows as they are. */
export type ComputedTypeList = NameList<ComputedTypeName | 'rows'>;

/** A type of messages: an exchange's own, or a computed one. */
export type MessageTypeName = ExchangeMessageTypeName | ComputedTypeName;

/** Types of messages, also by the names of their day files. */
export type MessageTypeList = NameList<MessageTypeName | DataTypeName>;
