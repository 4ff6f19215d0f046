import { columnsOf } from '../../dataset/data-types.js';
import { TAIL } from '../lines/head.js';
import { LAYOUTS } from '../lines/layouts.js';
import { LEVEL } from '../lines/levels.js';
import { LONGEST_NUMBER } from '../lines/number-text.js';
import { SOURCE_TYPES, type SourceTypeName } from '../names/data-type-name.js';

/** Kinds of cells, as assembly/rows.ts numbers them. */
const KIND = { number: 0, text: 1, time: 2 } as const;

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
const SLACK = 64;
const LEADING = 4;

export function templateOf(type: SourceTypeName): MessageTemplate {
  const columns = columnsOf(SOURCE_TYPES[type]) ?? [];
  const isChange = type === 'book_change';
  const texts = [
    `{"type":"${type}","symbol":"`,
    '","exchange":"',
    isChange ? '","isSnapshot":' : '"',
    `${isChange ? ']' : ''}${TAIL.timestamp}`,
    TAIL.localTimestamp,
    TAIL.end,
    ',"bids":[',
    '],"asks":[',
    LEVEL.price,
    LEVEL.amount,
  ];
  const own = columns.slice(LEADING);
  const parts = (type === 'book_change' ? [] : LAYOUTS[type]).map(({ key, column, kind, orElse }) => {
    const begin = `,${JSON.stringify(key)}:`;
    return {
      column: own.findIndex(({ name }) => name === column),
      kind: KIND[kind],
      key: kind === 'number' ? begin : `${begin}"`,
      missing: orElse === undefined ? '' : `${begin}"${orElse}"`,
    };
  });
  const sizes = [
    ...texts.map((text) => text.length),
    ...parts.map(({ key, missing }) => key.length + missing.length + LONGEST_NUMBER + 1),
  ];
  return {
    header: `${columns.map(({ name }) => name).join()}\n`,
    texts,
    columns: isChange ? [] : own.map(({ kind }) => (kind === 'boolean' ? KIND.text : KIND[kind])),
    parts,
    fixedRoom: sizes.reduce((sum, size) => sum + size, 2 * LONGEST_NUMBER + SLACK),
  };
}
