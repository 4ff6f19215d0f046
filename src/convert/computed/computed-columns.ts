import { bookLevelColumns, type Column, LEADING_COLUMNS } from '../../dataset/data-types.js';
import type { Schema } from '../../format/batch.js';
import type { ComputedType } from '../../market/names/message-type-name.js';

const number = (name: string): Column => ({ name, kind: 'number' });
const time = (name: string): Column => ({ name, kind: 'time' });

/** Columns of bars, in the order of `appendBar`. */
const BAR_COLUMNS: Schema = [
  ...['open', 'high', 'low', 'close', 'volume', 'buy_volume', 'sell_volume'].map(number),
  { name: 'trades', kind: 'integer' },
  number('vwap'),
  time('open_timestamp'),
  time('close_timestamp'),
];

/** The columns of a computed type (docs/spec/computed-data.md#file-columns). */
export function computedColumns(type: ComputedType): Schema {
  return [...LEADING_COLUMNS, ...(type.kind === 'trade_bar' ? BAR_COLUMNS : bookLevelColumns(type.depth))];
}
