import { type ArrowField, type ArrowType, TIME_TYPE } from '../../format/arrow/arrow-schema.js';
import { MESSAGE_LAYOUTS } from '../../market/lines/message-layouts.js';
import type { NormalizedType } from '../../market/names/message-type-name.js';

/** A column of messages of one type. */
export interface MessageColumn {
  /** Key of the message. */
  readonly key: string;
  readonly kind: MessageColumnKind;
}

export type MessageColumnKind = 'text' | 'number' | 'integer' | 'boolean' | 'time' | 'levels';

const columns = (kind: MessageColumnKind, ...keys: readonly string[]): readonly MessageColumn[] =>
  keys.map((key) => ({ key, kind }));

const HEAD = columns('text', 'type', 'symbol', 'exchange');
const TIMES = columns('time', 'timestamp', 'localTimestamp');
const LEVELS = columns('levels', 'bids', 'asks');

/** The columns of messages of a type, in the order of their keys (docs/spec/normalized-messages.md#json-form). */
export function listMessageColumns(type: NormalizedType): readonly MessageColumn[] {
  if (type.kind === 'book_snapshot') {
    return [
      ...HEAD,
      ...columns('text', 'name'),
      ...columns('integer', 'depth'),
      ...columns('number', 'interval', 'grouping'),
      ...LEVELS,
      ...TIMES,
    ];
  }
  if (type.kind === 'trade_bar') {
    return [
      ...HEAD,
      ...columns('text', 'name'),
      ...columns('number', 'interval'),
      ...columns('text', 'kind'),
      ...columns('number', 'open', 'high', 'low', 'close', 'volume', 'buyVolume', 'sellVolume'),
      ...columns('integer', 'trades'),
      ...columns('number', 'vwap'),
      ...columns('time', 'openTimestamp', 'closeTimestamp', 'localTimestamp', 'timestamp'),
    ];
  }
  if (type.name === 'book_change') return [...HEAD, ...columns('boolean', 'isSnapshot'), ...LEVELS, ...TIMES];
  return [...HEAD, ...MESSAGE_LAYOUTS[type.name], ...TIMES];
}

/** The Arrow field of a column (docs/spec/arrow-mapping.md#messages-of-a-replay). */
export function toArrowField({ key, kind }: MessageColumn): ArrowField {
  return nullable(toSnakeCase(key), ARROW_TYPES[kind]);
}

function nullable(name: string, type: ArrowType): ArrowField {
  return { name, type, nullable: true };
}

const LEVEL: ArrowType = {
  name: 'struct',
  fields: [nullable('price', { name: 'double' }), nullable('amount', { name: 'double' })],
};

const ARROW_TYPES: Readonly<Record<MessageColumnKind, ArrowType>> = {
  text: { name: 'utf8' },
  number: { name: 'double' },
  integer: { name: 'int', bits: 64, isSigned: true },
  boolean: { name: 'bool' },
  time: TIME_TYPE,
  levels: { name: 'list', item: nullable('item', LEVEL) },
};

function toSnakeCase(key: string): string {
  return key.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}
