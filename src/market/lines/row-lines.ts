import { type Batch, type ColumnData, getNumbers, type TextValues } from '../../format/batch.js';
import {
  copyFixed,
  copyWords,
  createFixedText,
  createLineTarget,
  type FixedText,
  hasMicros,
  IsoTime,
  type LineTarget,
  MAX_ESCAPE_BYTES,
  MAX_NUMBER_BYTES,
  MAX_TIME_BYTES,
  WORD_BYTES,
  writeNumber,
} from '../../format/ndjson/write-json.js';
import type { LineBuffer } from './line-buffer.js';
import {
  ASKS,
  CHANGE_BIDS,
  CHANGE_KEYS_BYTES,
  createDictionaryTexts,
  LEVELS_END,
  MAX_LEVEL_BYTES,
  MAX_TAIL_BYTES,
  SNAPSHOT_BIDS,
  writeLevel,
  writeTail,
  writeText,
} from './line-parts.js';
import { MESSAGE_LAYOUTS, type MessagePart, type OneRowMessageType } from './message-layouts.js';

const QUOTE = 34;

/** Forms of cells, as small integers for the inner loop. */
const CELL_FORM = { number: 0, time: 1, entry: 2, text: 3 } as const;

/** A part with its text that does not depend on the batch. */
interface PreparedPart {
  readonly column: string;
  /** `,"key":` */
  readonly begin: string;
  /** The same, with the quote that starts a string. */
  readonly key: FixedText;
  readonly missing: FixedText | undefined;
}

/** A part prepared for one batch; the same object shape for all forms. */
interface PreparedCells {
  readonly form: number;
  /** `,"key":`, with the quote that starts a string. */
  readonly key: FixedText;
  readonly missing: FixedText | undefined;
  readonly nulls: Uint8Array | undefined;
  readonly values: Float64Array;
  readonly text: Uint8Array;
  readonly offsets: Int32Array;
  /** For a dictionary: the entry of each row. */
  readonly indices: Int32Array;
  /** For a small dictionary: key and value of each entry. */
  readonly entries: readonly FixedText[];
}

/** Dictionaries up to this size are prepared once per batch. */
const MAX_PREPARED_ENTRIES = 32;

const NO_VALUES = new Float64Array();
const NO_TEXT = new Uint8Array();
const NO_INDICES = new Int32Array();

/**
 * Formats messages of one row each as lines: trade, liquidation, book_ticker, derivative_ticker,
 * option_summary. Keys, their order and the forms of numbers are those of docs/spec/normalized-messages.md#json-form;
 * the key of an empty cell is absent. Lines equal `JSON.stringify` of the message.
 */
export class RowLines {
  readonly #parts: readonly PreparedPart[];
  readonly #times = { timestamp: new IsoTime(), localTimestamp: new IsoTime() };
  readonly #cellTime = new IsoTime();
  #cells: readonly PreparedCells[] = [];
  #texts: readonly PreparedCells[] = [];
  /** Maximum size of a line without its head and its unprepared texts. */
  #size = 0;

  constructor(type: OneRowMessageType) {
    this.#parts = MESSAGE_LAYOUTS[type].map(preparePart);
  }

  /** Sets the batch of the next rows. */
  open({ schema, columns }: Batch): void {
    this.#cells = this.#parts.flatMap((part) => {
      const column = columns[schema.findIndex(({ name }) => name === part.column)];
      return column ? [prepareCells(part, column)] : [];
    });
    this.#texts = this.#cells.filter(({ form }) => form === CELL_FORM.text);
    this.#size = this.#cells.reduce((sum, cells) => sum + maxCellBytes(cells), MAX_TAIL_BYTES);
  }

  /** @param head created by `createLineHead`. Times are microseconds. */
  write(row: number, head: FixedText, timestamp: number, localTimestamp: number, out: LineBuffer): void {
    const target = out.room(head.length + this.#size + this.#maxTextBytes(row));
    const { bytes, view } = target;
    const cells = this.#cells;
    let at = copyFixed(head, view, out.length);
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i] as PreparedCells;
      const { form, nulls } = cell;
      if (nulls !== undefined && nulls[row] === 1) {
        if (cell.missing) at = copyFixed(cell.missing, view, at);
      } else if (form === CELL_FORM.entry) {
        at = copyFixed(cell.entries[cell.indices[row] as number] as FixedText, view, at);
      } else if (form === CELL_FORM.number) {
        at = writeNumber(cell.values[row] as number, view, copyFixed(cell.key, view, at));
      } else {
        at = this.#writeString(cell, row, target, copyFixed(cell.key, view, at));
        bytes[at++] = QUOTE;
      }
    }
    const micros = hasMicros(timestamp, localTimestamp);
    out.add(writeTail(this.#times, timestamp, micros, localTimestamp, target, at), localTimestamp);
  }

  #writeString(cell: PreparedCells, row: number, { bytes, view }: LineTarget, at: number): number {
    const { form, values, text, offsets } = cell;
    if (form === CELL_FORM.time) return this.#cellTime.write(values[row] as number, false, view, at);
    const value = getTextIndex(cell, row);
    return writeText(text, offsets[value] as number, offsets[value + 1] as number, bytes, at);
  }

  /** Maximum size of the row's unprepared texts. */
  #maxTextBytes(row: number): number {
    let size = 0;
    for (const cell of this.#texts) {
      const value = getTextIndex(cell, row);
      size += (cell.offsets[value + 1] as number) - (cell.offsets[value] as number);
    }
    return size * MAX_ESCAPE_BYTES;
  }
}

/** Index of the row's text. */
function getTextIndex({ indices }: PreparedCells, row: number): number {
  return indices === NO_INDICES ? row : (indices[row] as number);
}

function maxCellBytes({ key, missing, entries }: PreparedCells): number {
  const longest = entries.reduce((max, { length }) => Math.max(max, length), missing?.length ?? 0);
  return key.length + Math.max(longest, MAX_NUMBER_BYTES, MAX_TIME_BYTES) + 1;
}

function preparePart({ column, key, kind, fallback }: MessagePart): PreparedPart {
  const begin = `,${JSON.stringify(key)}:`;
  return {
    column,
    begin,
    key: createFixedText(kind === 'number' ? begin : `${begin}"`),
    missing: fallback === undefined ? undefined : createFixedText(`${begin}"${fallback}"`),
  };
}

function prepareCells({ begin, key, missing }: PreparedPart, column: ColumnData): PreparedCells {
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
      return { ...common, form: CELL_FORM.number, values: column.values };
    case 'time':
      return { ...common, form: CELL_FORM.time, values: column.values };
    case 'text':
      if (column.encoding === 'plain') {
        return { ...common, form: CELL_FORM.text, text: column.text.bytes, offsets: column.text.offsets };
      }
      return { ...common, indices: column.indices, ...prepareDictionaryCells(column.dictionary, begin) };
    case 'boolean':
    case 'integer':
      throw new Error(`a message cannot have a boolean or an integer for${begin}`);
  }
}

function prepareDictionaryCells(
  dictionary: TextValues,
  begin: string,
): Pick<PreparedCells, 'form' | 'text' | 'offsets' | 'entries'> {
  const { bytes, offsets } = dictionary;
  const isSmall = offsets.length <= MAX_PREPARED_ENTRIES;
  return {
    form: isSmall ? CELL_FORM.entry : CELL_FORM.text,
    text: bytes,
    offsets,
    entries: isSmall ? createDictionaryTexts(dictionary, begin) : [],
  };
}

/** Up to this size words are copied here; for more, the engine's copy is faster. */
const SMALL_COPY_BYTES = 256;
/** Initial and maximum retained size of a side's buffer: whole books are rare, but there are many files. */
const INITIAL_SIDE_BYTES = 4096;
const MAX_RETAINED_SIDE_BYTES = 16 * 1024;

/**
 * Formats book changes as lines, each from some rows of incremental_book_L2: `begin`, a `level` for each row,
 * `write`. The rows of a change may be in several batches.
 */
export class BookChangeLines {
  readonly #times = { timestamp: new IsoTime(), localTimestamp: new IsoTime() };
  readonly #bids = new LevelTexts();
  readonly #asks = new LevelTexts();
  #prices: Float64Array = new Float64Array();
  #amounts: Float64Array = new Float64Array();

  /** Sets the batch of the next rows. */
  open(batch: Batch): void {
    this.#prices = getNumbers(batch, 'price');
    this.#amounts = getNumbers(batch, 'amount');
  }

  begin(): void {
    this.#bids.clear();
    this.#asks.clear();
  }

  level(isAsk: boolean, row: number): void {
    const side = isAsk ? this.#asks : this.#bids;
    side.add(this.#prices[row] as number, this.#amounts[row] as number);
  }

  /** @param head created by `createLineHead`. Times are microseconds. */
  write(
    head: FixedText,
    isSnapshot: boolean,
    timestamp: number,
    localTimestamp: number,
    out: LineBuffer,
  ): void {
    const size = head.length + CHANGE_KEYS_BYTES + this.#bids.length + this.#asks.length + MAX_TAIL_BYTES;
    const target = out.room(size);
    const { view } = target;
    let at = copyFixed(head, view, out.length);
    at = copyFixed(isSnapshot ? SNAPSHOT_BIDS : CHANGE_BIDS, view, at);
    at = this.#bids.copyTo(target, at);
    at = copyFixed(ASKS, view, at);
    at = this.#asks.copyTo(target, at);
    at = copyFixed(LEVELS_END, view, at);
    const micros = hasMicros(timestamp, localTimestamp);
    out.add(writeTail(this.#times, timestamp, micros, localTimestamp, target, at), localTimestamp);
  }
}

/** The levels of one side, as the content of a JSON array: ASCII only. */
class LevelTexts {
  #target = createLineTarget(INITIAL_SIDE_BYTES);
  length = 0;

  clear(): void {
    this.length = 0;
    if (this.#target.bytes.length > MAX_RETAINED_SIDE_BYTES)
      this.#target = createLineTarget(INITIAL_SIDE_BYTES);
  }

  add(price: number, amount: number): void {
    const { view } = this.#room();
    this.length = writeLevel(price, amount, this.length === 0, view, this.length);
  }

  copyTo({ bytes, view }: LineTarget, at: number): number {
    if (this.length <= SMALL_COPY_BYTES) copyWords(this.#target.view, this.length, view, at);
    else bytes.set(this.#target.bytes.subarray(0, this.length), at);
    return at + this.length;
  }

  #room(): LineTarget {
    const needed = this.length + MAX_LEVEL_BYTES + WORD_BYTES;
    if (needed > this.#target.bytes.length) {
      const larger = createLineTarget(2 * needed);
      larger.bytes.set(this.#target.bytes.subarray(0, this.length));
      this.#target = larger;
    }
    return this.#target;
  }
}
