import { dataTypeColumns } from '../../dataset/data-types.js';
import { TAIL_TEXTS } from '../lines/line-head.js';
import { MESSAGE_LAYOUTS } from '../lines/message-layouts.js';
import { LEVEL_KEYS } from '../lines/write-level.js';
import { MAX_NUMBER_BYTES } from '../lines/write-number.js';
import { SOURCE_TYPES, type SourceTypeName } from '../names/data-type-name.js';

/** Kinds of cells, as assembly/rows.ts numbers them. */
const CELL_KIND = { number: 0, text: 1, time: 2 } as const;

/** A key with its cell. */
export interface TemplatePart {
  /** Of the row's own columns. */
  readonly column: number;
  readonly kind: number;
  readonly key: string;
  /** What stands for an empty cell. */
  readonly missing: string;
}

/** What the kernel has to know of a type's lines. */
export interface MessageTemplate {
  /** The header that the day files have, with its LF. */
  readonly header: string;
  /** What stands in every line, as assembly/output.ts numbers it. */
  readonly texts: readonly string[];
  /** Kinds of the columns behind the leading four, where a message is a row. */
  readonly columns: readonly number[];
  readonly parts: readonly TemplatePart[];
  /** What a line takes at most besides its row's text and its levels, in bytes. */
  readonly fixedRoom: number;
}

/** Bytes that are written behind the end of anything, at most. */
const SLACK_BYTES = 64;
const LEADING_COLUMN_COUNT = 4;

export function createMessageTemplate(type: SourceTypeName): MessageTemplate {
  const columns = dataTypeColumns(SOURCE_TYPES[type]) ?? [];
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
  const own = columns.slice(LEADING_COLUMN_COUNT);
  const parts = (type === 'book_change' ? [] : MESSAGE_LAYOUTS[type]).map(
    ({ key, column, kind, fallback }) => {
      const begin = `,${JSON.stringify(key)}:`;
      return {
        column: own.findIndex(({ name }) => name === column),
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
    columns: isChange ? [] : own.map(({ kind }) => (kind === 'boolean' ? CELL_KIND.text : CELL_KIND[kind])),
    parts,
    fixedRoom: sizes.reduce((sum, size) => sum + size, 2 * MAX_NUMBER_BYTES + SLACK_BYTES),
  };
}
