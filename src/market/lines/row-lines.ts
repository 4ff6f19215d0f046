import type { Batch, ColumnData, Schema } from '../../format/columns.js';
import { copyFixed, type Fixed, fixed } from './bytes.js';
import { TAIL_SIZE, writeTail } from './head.js';
import { hasMicros, IsoTime, LONGEST_TIME } from './iso-time.js';
import { LAYOUTS, type Part, type RowType } from './layouts.js';
import type { LineBuffer } from './line-buffer.js';
import { LONGEST_NUMBER, writeDigits, writeNumber } from './number-text.js';
import { dictionaryTexts, LONGEST_ESCAPE, writeText } from './text.js';

const QUOTE = 34;

/** How a part's cells are written, as small integers for the loop over them. */
const CELL = { number: 0, digits: 1, time: 2, entry: 3, text: 4 } as const;

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
  /** Room for a line without its head and its plain texts. */
  #size = 0;

  constructor(type: RowType, schema: Schema) {
    this.#parts = LAYOUTS[type]
      .map((part) => ({ part, column: schema.findIndex(({ name }) => name === part.column) }))
      .filter(({ column }) => column >= 0);
  }

  /** Takes the batch that rows are to be of. Numbers are copied where it brings their digits. */
  open({ columns }: Batch): void {
    this.#cells = this.#parts.map(({ part, column }) => cellsOf(part, columns[column] as ColumnData));
    this.#size = this.#cells.reduce((sum, cells) => sum + sizeOf(cells), TAIL_SIZE);
  }

  /** @param head of `lineHead`. Times are microseconds. */
  write(row: number, head: Fixed, timestamp: number, localTimestamp: number, out: LineBuffer): void {
    const cells = this.#cells;
    let size = head.length + this.#size;
    for (let i = 0; i < cells.length; i++) {
      const { how, offsets } = cells[i] as Cells;
      if (how === CELL.text) {
        size += LONGEST_ESCAPE * ((offsets[row + 1] as number) - (offsets[row] as number));
      }
    }
    const target = out.room(size);
    const { bytes, view } = target;
    let at = copyFixed(head, view, out.length);
    for (let i = 0; i < cells.length; i++) {
      const { how, nulls, key, values, text, offsets, indices, entries, missing } = cells[i] as Cells;
      if (nulls !== undefined && nulls[row] === 1) {
        if (missing) at = copyFixed(missing, view, at);
        continue;
      }
      if (how === CELL.entry) {
        at = copyFixed(entries[indices[row] as number] as Fixed, view, at);
        continue;
      }
      at = copyFixed(key, view, at);
      if (how === CELL.digits) {
        const start = offsets[row] as number;
        at = writeDigits(text, start, offsets[row + 1] as number, values[row] as number, view, at);
      } else if (how === CELL.number) {
        at = writeNumber(values[row] as number, view, at);
      } else {
        at =
          how === CELL.time
            ? this.#cellTime.write(values[row] as number, false, view, at)
            : writeText(text, offsets[row] as number, offsets[row + 1] as number, bytes, at);
        bytes[at++] = QUOTE;
      }
    }
    const micros = hasMicros(timestamp, localTimestamp);
    out.add(writeTail(this.#times, timestamp, micros, localTimestamp, target, at), localTimestamp);
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
      if (!column.text) return { ...common, how: CELL.number, values: column.values };
      return {
        ...common,
        how: CELL.digits,
        values: column.values,
        text: column.text.bytes,
        offsets: column.text.offsets,
      };
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
      throw new Error(`no message has ${key} as a boolean`);
  }
}
