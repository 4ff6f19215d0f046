import { dataTypeColumns } from '../../dataset/data-types.js';
import { MAX_NUMBER_BYTES } from '../../format/ndjson/write-json.js';
import { TAIL_TEXTS } from '../lines/line-head.js';
import { MESSAGE_LAYOUTS } from '../lines/message-layouts.js';
import { LEVEL_KEYS } from '../lines/write-level.js';
import { EXCHANGE_MESSAGE_TYPES, type ExchangeMessageTypeName } from '../names/message-type-name.js';

/** Kinds of cells, as numbered in assembly/rows.ts. */
const CELL_KIND = { number: 0, text: 1, time: 2 } as const;

/** A key and its cell. */
export interface TemplatePart {
  /** Index among the columns after the leading ones. */
  readonly column: number;
  readonly kind: number;
  readonly key: string;
  /** Text in place of an empty cell. */
  readonly missing: string;
}

/** Layout of a type's lines, for the kernel. */
export interface MessageTemplate {
  /** Header of the day files, with its LF. */
  readonly header: string;
  /** Text that occurs in every line, as numbered in assembly/output.ts. */
  readonly texts: readonly string[];
  /** Kinds of the columns after the leading four, if a message is one row. */
  readonly columns: readonly number[];
  readonly parts: readonly TemplatePart[];
  /** Maximum size of a line, in bytes, without the text of its row and its levels. */
  readonly fixedRoom: number;
}

/** Maximum number of bytes written after the end of a text. */
const SLACK_BYTES = 64;
const LEADING_COLUMN_COUNT = 4;

export function createMessageTemplate(type: ExchangeMessageTypeName): MessageTemplate {
  const columns = dataTypeColumns(EXCHANGE_MESSAGE_TYPES[type]) ?? [];
  const isChange = type === 'book_change';
  const texts = [
    `{"type":"${type}","symbol":"`,
    '","exchange":"',
    isChange ? '","isSnapshot":' : '"',
    `${isChange ? ']' : ''}${TAIL_TEXTS.timestamp}`,
    TAIL_TEXTS.localTimestamp,
    TAIL_TEXTS.end,
    ',"bids":[',
    '],"asks":[',
    LEVEL_KEYS.price,
    LEVEL_KEYS.amount,
  ];
  const ownColumns = columns.slice(LEADING_COLUMN_COUNT);
  const parts = (type === 'book_change' ? [] : MESSAGE_LAYOUTS[type]).map(
    ({ key, column, kind, fallback }) => {
      const begin = `,${JSON.stringify(key)}:`;
      return {
        column: ownColumns.findIndex(({ name }) => name === column),
        kind: CELL_KIND[kind],
        key: kind === 'number' ? begin : `${begin}"`,
        missing: fallback === undefined ? '' : `${begin}"${fallback}"`,
      };
    },
  );
  const sizes = [
    ...texts.map((text) => text.length),
    ...parts.map(({ key, missing }) => key.length + missing.length + MAX_NUMBER_BYTES + 1),
  ];
  return {
    header: `${columns.map(({ name }) => name).join()}\n`,
    texts,
    columns: isChange
      ? []
      : ownColumns.map(({ kind }) => (kind === 'boolean' ? CELL_KIND.text : CELL_KIND[kind])),
    parts,
    fixedRoom: sizes.reduce((sum, size) => sum + size, 2 * MAX_NUMBER_BYTES + SLACK_BYTES),
  };
}
