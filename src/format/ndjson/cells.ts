import type { ColumnKind } from '../../dataset/data-types.js';
import type { Batch, ColumnData, TextValues } from '../columns.js';
import { escapesIn, writeEscaped } from './escape.js';
import { LONGEST_TIME } from './times.js';
import { viewOf, WORD } from './words.js';

/** How a column's cells are written, as small integers for the loop over cells. */
export const CELL = { entry: 0, boolean: 1, time: 2, number: 3, text: 4 } as const;

/** Entry 0 is always the null; where cells are not entries as a whole, entry 1 is what stands before the value. */
export const NULL_ENTRY = 0;
export const VALUE_ENTRY = 1;

/** Texts that are written as they are, each with the column's key before it; end to end, `WORD` bytes behind. */
export interface Entries {
  readonly view: DataView;
  readonly offsets: Int32Array;
}

/** One column of one batch, made ready for the loop over cells: the same shape whatever the kind. */
export interface Cells {
  readonly how: number;
  readonly entries: Entries;
  readonly nulls: Uint8Array | undefined;
  /** Of a dictionary: entry less 1 by row. */
  readonly indices: Int32Array;
  readonly booleans: Uint8Array;
  readonly doubles: Float64Array;
  readonly text: Uint8Array;
  readonly view: DataView;
  readonly offsets: Int32Array;
  /** Where `text` ends. */
  readonly end: number;
  /** Whether `text` has nothing in it to escape. */
  readonly clean: boolean;
  /** An upper bound of what the column's cells take, in bytes. */
  readonly size: number;
}

/** What every batch has alike for a column. */
export interface Key {
  /** `{"name":` for the first column, `,"name":` for the others. */
  readonly key: Uint8Array;
  readonly entries: Entries;
}

const NO_INDICES = new Int32Array();
const NO_BOOLEANS = new Uint8Array();
const NO_DOUBLES = new Float64Array();
const NO_VIEW = viewOf(NO_BOOLEANS);

/** `quoted`: the column's times or numbers are written as strings. */
export function keyOf(name: string, kind: ColumnKind, first: boolean, quoted: boolean): Key {
  const key = Buffer.from(`${first ? '{' : ','}${JSON.stringify(name)}:`);
  const values = kind === 'boolean' ? ['false', 'true'] : [quoted || kind === 'text' ? '"' : ''];
  return {
    key,
    entries: entriesOf(['null', ...values].map((value) => Buffer.concat([key, Buffer.from(value)]))),
  };
}

export function cellsOf(column: ColumnData, rows: number, { key, entries }: Key): Cells {
  const common = {
    entries,
    nulls: column.nulls,
    indices: NO_INDICES,
    booleans: NO_BOOLEANS,
    doubles: NO_DOUBLES,
    text: NO_BOOLEANS,
    view: NO_VIEW,
    offsets: NO_INDICES,
    end: 0,
    clean: true,
  };
  // Two quotes, or `null`, or `false`.
  const around = rows * (key.length + 5);
  switch (column.kind) {
    case 'time':
    case 'integer':
      return { ...common, how: CELL.time, doubles: column.values, size: around + rows * LONGEST_TIME };
    case 'boolean':
      return { ...common, how: CELL.boolean, booleans: column.values, size: around };
    case 'number': {
      if (!column.text) throw new Error('the batch lacks the digits of its numbers: parse with numberText');
      const { bytes, offsets } = column.text;
      const end = offsets[rows] ?? 0;
      return {
        ...common,
        how: CELL.number,
        text: bytes,
        view: viewOf(bytes),
        offsets,
        end,
        size: around + end,
      };
    }
    case 'text': {
      if (column.encoding === 'dictionary') {
        const own = dictionaryEntries(column.dictionary, key);
        const { indices, nulls } = column;
        const size = sizeOfEntries(own, indices, nulls);
        return { ...common, how: CELL.entry, entries: own, indices, size };
      }
      const { bytes, offsets } = column.text;
      const end = offsets[rows] ?? 0;
      const escapes = escapesIn(bytes, 0, end);
      const text = { text: bytes, view: viewOf(bytes), offsets, end, clean: escapes === 0 };
      return { ...common, ...text, how: CELL.text, size: around + end + escapes };
    }
  }
}

function dictionaryEntries({ bytes, offsets }: TextValues, key: Uint8Array): Entries {
  const texts: Uint8Array[] = [Buffer.concat([key, Buffer.from('null')])];
  for (let i = 0; i + 1 < offsets.length; i++) {
    const start = offsets[i] as number;
    const end = offsets[i + 1] as number;
    const text = new Uint8Array(key.length + end - start + escapesIn(bytes, start, end) + 2);
    text.set(key);
    text[key.length] = 0x22;
    writeEscaped(bytes, start, end, text, key.length + 1);
    text[text.length - 1] = 0x22;
    texts.push(text);
  }
  return entriesOf(texts);
}

function entriesOf(texts: readonly Uint8Array[]): Entries {
  const offsets = new Int32Array(texts.length + 1);
  for (const [i, text] of texts.entries()) offsets[i + 1] = (offsets[i] as number) + text.length;
  return { view: viewOf(Buffer.concat([...texts, new Uint8Array(WORD)])), offsets };
}

function sizeOfEntries({ offsets }: Entries, indices: Int32Array, nulls: Uint8Array | undefined): number {
  let size = 0;
  for (let row = 0; row < indices.length; row++) {
    const entry = nulls?.[row] === 1 ? NULL_ENTRY : (indices[row] as number) + 1;
    size += (offsets[entry + 1] as number) - (offsets[entry] as number);
  }
  return size;
}

/** The columns of a batch, made ready. */
export function batchCells({ rows, columns }: Batch, keys: readonly Key[]): Cells[] {
  return keys.map((key, i) => cellsOf(columns[i] as ColumnData, rows, key));
}
