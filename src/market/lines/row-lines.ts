import type { Batch, ColumnData, Schema } from '../../format/columns.js';
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
  readonly indices: Int32Array;
  /** Of a dictionary: key and value. */
  readonly entries: readonly Fixed[];
}

const NO_VALUES = new Float64Array();
const NO_TEXT = new Uint8Array();
const NO_INDICES = new Int32Array();

/**
 * The lines of messages that are one row of a day file each: trade, liquidation, book_ticker, derivative_ticker,
 * option_summary. Keys, their order and the forms of numbers are those of the vendor's normalized messages; an empty
 * cell's key is absent. Lines equal `JSON.stringify` of the message.
 */
export class RowLines {
  readonly #parts: readonly { readonly part: Part; readonly column: number }[];
  readonly #times = { timestamp: new IsoTime(), localTimestamp: new IsoTime() };
  readonly #cellTime = new IsoTime();
  #cells: readonly Cells[] = [];
  #texts: readonly Cells[] = [];
  /** Room for a line without its head and its plain texts. */
  #size = 0;

  constructor(type: RowType, schema: Schema) {
    this.#parts = LAYOUTS[type]
      .map((part) => ({ part, column: schema.findIndex(({ name }) => name === part.column) }))
      .filter(({ column }) => column >= 0);
  }

  /** Takes the batch that rows are to be of. */
  open({ columns }: Batch): void {
    this.#cells = this.#parts.map(({ part, column }) => cellsOf(part, columns[column] as ColumnData));
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

  #writeString(
    { how, values, text, offsets }: Cells,
    row: number,
    { bytes, view }: Target,
    at: number,
  ): number {
    if (how === CELL.time) return this.#cellTime.write(values[row] as number, false, view, at);
    return writeText(text, offsets[row] as number, offsets[row + 1] as number, bytes, at);
  }

  /** Room for the row's plain texts. */
  #textSize(row: number): number {
    let size = 0;
    for (const { offsets } of this.#texts) size += (offsets[row + 1] as number) - (offsets[row] as number);
    return size * LONGEST_ESCAPE;
  }
}

function sizeOf({ key, missing, entries }: Cells): number {
  const longest = entries.reduce((most, { length }) => Math.max(most, length), missing?.length ?? 0);
  return key.length + Math.max(longest, LONGEST_NUMBER, LONGEST_TIME) + 1;
}

function cellsOf({ key, kind, orElse }: Part, column: ColumnData): Cells {
  const begin = `,${JSON.stringify(key)}:`;
  const common = {
    key: fixed(kind === 'number' ? begin : `${begin}"`),
    missing: orElse === undefined ? undefined : fixed(`${begin}"${orElse}"`),
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
      return {
        ...common,
        how: CELL.entry,
        indices: column.indices,
        entries: dictionaryTexts(column.dictionary, begin),
      };
    case 'boolean':
    case 'integer':
      throw new Error(`no message has ${key} as a boolean`);
  }
}
