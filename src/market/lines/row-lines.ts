import type { Batch, ColumnData, Schema, TextValues } from '../../format/columns.js';
import { copyFixed, type Fixed, fixed, type Target } from './bytes.js';
import { TAIL_SIZE, writeTail } from './head.js';
import { hasMicros, IsoTime, LONGEST_TIME } from './iso-time.js';
import { LAYOUTS, type Part, type RowType } from './layouts.js';
import type { LineBuffer } from './line-buffer.js';
import { LONGEST_NUMBER, writeNumber } from './number-text.js';
import { dictionaryTexts, LONGEST_ESCAPE, writeText } from './text.js';

const QUOTE = 34;

/** How a part's cells are written, as small integers for the loop over them. */
const CELL = { number: 0, time: 1, entry: 2, text: 3 } as const;

/** A part, with what is written for it whatever the batch. */
interface MadePart {
  readonly column: number;
  /** `,"key":` */
  readonly begin: string;
  /** The same, with the quote that begins a string. */
  readonly key: Fixed;
  readonly missing: Fixed | undefined;
}

/** A part of one batch, made ready: the same shape whatever the kind. */
interface Cells {
  readonly how: number;
  /** `,"key":`, with the quote that begins a string. */
  readonly key: Fixed;
  readonly missing: Fixed | undefined;
  readonly nulls: Uint8Array | undefined;
  readonly values: Float64Array;
  readonly text: Uint8Array;
  readonly offsets: Int32Array;
  /** Of a dictionary: the entry of each row. */
  readonly indices: Int32Array;
  /** Of a small dictionary: key and value. */
  readonly entries: readonly Fixed[];
}

/** Entries up to which a dictionary's texts are made ready for all rows of a batch. */
const FEW_ENTRIES = 32;

const NO_VALUES = new Float64Array();
const NO_TEXT = new Uint8Array();
const NO_INDICES = new Int32Array();

/**
 * The lines of messages that are one row of a day file each: trade, liquidation, book_ticker, derivative_ticker,
 * option_summary. Keys, their order and the forms of numbers are those of the vendor's normalized messages; an empty
 * cell's key is absent. Lines equal `JSON.stringify` of the message.
 */
export class RowLines {
  readonly #parts: readonly MadePart[];
  readonly #times = { timestamp: new IsoTime(), localTimestamp: new IsoTime() };
  readonly #cellTime = new IsoTime();
  #cells: readonly Cells[] = [];
  #texts: readonly Cells[] = [];
  /** Room for a line without its head and its plain texts. */
  #size = 0;

  constructor(type: RowType, schema: Schema) {
    this.#parts = LAYOUTS[type]
      .map((part) => ({ ...keysOf(part), column: schema.findIndex(({ name }) => name === part.column) }))
      .filter(({ column }) => column >= 0);
  }

  /** Takes the batch that rows are to be of. */
  open({ columns }: Batch): void {
    this.#cells = this.#parts.map((part) => cellsOf(part, columns[part.column] as ColumnData));
    this.#texts = this.#cells.filter(({ how }) => how === CELL.text);
    this.#size = this.#cells.reduce((sum, cells) => sum + sizeOf(cells), TAIL_SIZE);
  }

  /** @param head of `lineHead`. Times are microseconds. */
  write(row: number, head: Fixed, timestamp: number, localTimestamp: number, out: LineBuffer): void {
    const target = out.room(head.length + this.#size + this.#textSize(row));
    const { bytes, view } = target;
    const cells = this.#cells;
    let at = copyFixed(head, view, out.length);
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i] as Cells;
      const { how, nulls } = cell;
      if (nulls !== undefined && nulls[row] === 1) {
        if (cell.missing) at = copyFixed(cell.missing, view, at);
      } else if (how === CELL.entry) {
        at = copyFixed(cell.entries[cell.indices[row] as number] as Fixed, view, at);
      } else if (how === CELL.number) {
        at = writeNumber(cell.values[row] as number, view, copyFixed(cell.key, view, at));
      } else {
        at = this.#writeString(cell, row, target, copyFixed(cell.key, view, at));
        bytes[at++] = QUOTE;
      }
    }
    const micros = hasMicros(timestamp, localTimestamp);
    out.add(writeTail(this.#times, timestamp, micros, localTimestamp, target, at), localTimestamp);
  }

  #writeString(cell: Cells, row: number, { bytes, view }: Target, at: number): number {
    const { how, values, text, offsets } = cell;
    if (how === CELL.time) return this.#cellTime.write(values[row] as number, false, view, at);
    const value = textOf(cell, row);
    return writeText(text, offsets[value] as number, offsets[value + 1] as number, bytes, at);
  }

  /** Room for the row's texts that are not made ready. */
  #textSize(row: number): number {
    let size = 0;
    for (const cell of this.#texts) {
      const value = textOf(cell, row);
      size += (cell.offsets[value + 1] as number) - (cell.offsets[value] as number);
    }
    return size * LONGEST_ESCAPE;
  }
}

/** Which of a column's texts a row has. */
function textOf({ indices }: Cells, row: number): number {
  return indices === NO_INDICES ? row : (indices[row] as number);
}

function sizeOf({ key, missing, entries }: Cells): number {
  const longest = entries.reduce((most, { length }) => Math.max(most, length), missing?.length ?? 0);
  return key.length + Math.max(longest, LONGEST_NUMBER, LONGEST_TIME) + 1;
}

function keysOf({ key, kind, orElse }: Part): Omit<MadePart, 'column'> {
  const begin = `,${JSON.stringify(key)}:`;
  return {
    begin,
    key: fixed(kind === 'number' ? begin : `${begin}"`),
    missing: orElse === undefined ? undefined : fixed(`${begin}"${orElse}"`),
  };
}

function cellsOf({ begin, key, missing }: MadePart, column: ColumnData): Cells {
  const common = {
    key,
    missing,
    nulls: column.nulls,
    values: NO_VALUES,
    text: NO_TEXT,
    offsets: NO_INDICES,
    indices: NO_INDICES,
    entries: [],
  };
  switch (column.kind) {
    case 'number':
      return { ...common, how: CELL.number, values: column.values };
    case 'time':
      return { ...common, how: CELL.time, values: column.values };
    case 'text':
      if (column.encoding === 'plain') {
        return { ...common, how: CELL.text, text: column.text.bytes, offsets: column.text.offsets };
      }
      return { ...common, indices: column.indices, ...dictionaryCells(column.dictionary, begin) };
    case 'boolean':
    case 'integer':
      throw new Error(`no message has${begin} of a boolean`);
  }
}

function dictionaryCells(
  dictionary: TextValues,
  begin: string,
): Pick<Cells, 'how' | 'text' | 'offsets' | 'entries'> {
  const { bytes, offsets } = dictionary;
  const isSmall = offsets.length <= FEW_ENTRIES;
  return {
    how: isSmall ? CELL.entry : CELL.text,
    text: bytes,
    offsets,
    entries: isSmall ? dictionaryTexts(dictionary, begin) : [],
  };
}
