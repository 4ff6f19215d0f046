import { hasColumn } from '../../day-files/data-types.js';
import { type ColumnData, getTextColumn, type TextColumn, type TextValues } from '../../format/batch.js';
import { type AuditBatch, RowCounter } from '../audit-batch.js';
import { ID_KIND, LOW_LIMIT } from '../batch-rows.js';
import type { CheckCounter, ContentCheck } from '../content-check.js';

/**
 * Rows equal to the previous row in every column, as text. Of trades and liquidations only rows with an id: two equal
 * fills without one are usual.
 */
export const duplicateRow: ContentCheck = {
  name: 'duplicate_row',
  appliesTo: () => true,
  degrades: true,
  start: ({ dataType }) => new DuplicateRowCounter(hasIds(dataType)),
};

class DuplicateRowCounter implements CheckCounter {
  readonly #needsId: boolean;
  readonly #found = new RowCounter();
  #candidates = new Int32Array();
  /** Cells of the last row of the previous batch. */
  #last: readonly string[] = [];

  constructor(needsId: boolean) {
    this.#needsId = needsId;
  }

  push(batch: AuditBatch): void {
    const { rows } = batch;
    if (rows === 0) return;
    const { schema, columns } = batch.batch;
    const idColumn = this.#needsId ? columns[schema.findIndex(({ name }) => name === 'id')] : undefined;
    const hasNoId = (row: number): boolean => idColumn?.nulls?.[row] === 1;
    const first = columns.map((column) => cellText(column, 0));
    if (first.every((cell, i) => cell === this.#last[i]) && !hasNoId(0)) this.#found.add(batch, 0);
    const candidates = this.#findEqualRows(columns, rows);
    for (const row of candidates) if (!hasNoId(row)) this.#found.add(batch, row);
    this.#last = columns.map((column) => cellText(column, rows - 1));
  }

  end() {
    return this.#found.result();
  }

  /** Rows that equal the previous row of the batch. Column by column, since few rows remain after the first ones. */
  #findEqualRows(columns: readonly ColumnData[], rows: number): Int32Array {
    if (this.#candidates.length < rows) this.#candidates = new Int32Array(rows);
    const candidates = this.#candidates;
    let count = rows - 1;
    for (let i = 0; i < count; i++) candidates[i] = i + 1;
    // Numbers differ most often.
    const ordered = columns.toSorted((a, b) => Number(b.kind === 'number') - Number(a.kind === 'number'));
    for (const column of ordered) {
      const values = column.kind === 'text' ? undefined : column.values;
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const row = candidates[i] as number;
        if (values && values[row] !== values[row - 1]) continue;
        candidates[kept] = row;
        kept++;
      }
      count = kept;
    }
    const equal = candidates.subarray(0, count);
    return equal.filter((row) => columns.every((column) => isSameCell(column, row)));
  }
}

/** Whether a cell has the same text as the one in the previous row. */
function isSameCell(column: ColumnData, row: number): boolean {
  const { nulls } = column;
  if (nulls && nulls[row] !== nulls[row - 1]) return false;
  if (column.kind === 'text') {
    return column.encoding === 'dictionary'
      ? column.indices[row] === column.indices[row - 1]
      : isSameText(column.text, row);
  }
  if (column.values[row] !== column.values[row - 1]) return false;
  return column.kind !== 'number' || column.text === undefined || isSameText(column.text, row);
}

function isSameText({ bytes, offsets }: TextValues, row: number): boolean {
  const [before, start, end] = [
    offsets[row - 1] as number,
    offsets[row] as number,
    offsets[row + 1] as number,
  ];
  if (end - start !== start - before) return false;
  for (let p = start, q = before; p < end; p++, q++) if (bytes[p] !== bytes[q]) return false;
  return true;
}

function cellText(column: ColumnData, row: number): string {
  if (column.nulls?.[row] === 1) return '';
  if (column.kind !== 'text') {
    const text = column.kind === 'number' ? column.text : undefined;
    return text ? readText(text, row) : String(column.values[row]);
  }
  return column.encoding === 'dictionary'
    ? readText(column.dictionary, column.indices[row] as number)
    : readText(column.text, row);
}

function readText({ bytes: { buffer, byteOffset }, offsets }: TextValues, index: number): string {
  const start = offsets[index] as number;
  return Buffer.from(buffer, byteOffset + start, (offsets[index + 1] as number) - start).toString('latin1');
}

/** Numbers up to here are exact, and their sum with a digit too. */
const MAX_HIGH = 1_000_000;

/** Rows whose id occurred before in the file for the same symbol. */
export const duplicateId: ContentCheck = {
  name: 'duplicate_id',
  appliesTo: hasIds,
  degrades: true,
  start() {
    const found = new RowCounter();
    const numbers = new NumberSet();
    const texts = new TextSet();
    return {
      push(batch) {
        const { rows, symbols } = batch;
        if (rows === 0) return;
        const { kinds, high, low } = batch.ids();
        const column = getTextColumn(batch.batch, 'id');
        for (let row = 0; row < rows; row++) {
          const symbol = symbols[row] as number;
          const kind = kinds[row] as number;
          if (symbol < 0 || kind === ID_KIND.empty) continue;
          const isNumber = kind === ID_KIND.number && (high[row] as number) < MAX_HIGH;
          const number = isNumber ? (high[row] as number) * LOW_LIMIT + (low[row] as number) : -1;
          const isNew =
            isNumber && numbers.hasRoom(symbol, number)
              ? numbers.add(symbol, number)
              : texts.add(symbol, column, row);
          if (!isNew) found.add(batch, row);
        }
      },
      end: () => found.result(),
    };
  },
};

/** Whether rows of a data type may have ids. */
function hasIds(dataType: string): boolean {
  return hasColumn(dataType, 'id');
}

/** Numbers per block; a block takes 4 KiB. */
const BLOCK_NUMBERS = 32_768;
/** At most 64 MiB of blocks. Ids that are spread widely would need more memory as bits than as hashes. */
const MAX_BLOCKS = 16_384;

/** Whole numbers per symbol as blocks of bits, since most exchanges number trades one by one. */
class NumberSet {
  readonly #symbols: Map<number, Uint32Array>[] = [];
  #blocks = 0;
  /** The block that was used last. */
  #symbol = -1;
  #index = -1;
  #block: Uint32Array | undefined;

  /** Whether a number belongs in this set. It never changes for a number: no block is added after the last. */
  hasRoom(symbol: number, number: number): boolean {
    return this.#find(symbol, Math.floor(number / BLOCK_NUMBERS)) !== undefined || this.#blocks < MAX_BLOCKS;
  }

  /** Adds a number for which there is room. @returns whether it is new. */
  add(symbol: number, number: number): boolean {
    const index = Math.floor(number / BLOCK_NUMBERS);
    const block = this.#find(symbol, index) ?? this.#create(symbol, index);
    const bit = number - index * BLOCK_NUMBERS;
    const word = bit >>> 5;
    const mask = 1 << (bit & 31);
    const bits = block[word] as number;
    block[word] = bits | mask;
    return (bits & mask) === 0;
  }

  #find(symbol: number, index: number): Uint32Array | undefined {
    if (symbol === this.#symbol && index === this.#index) return this.#block;
    this.#symbol = symbol;
    this.#index = index;
    this.#block = this.#symbols[symbol]?.get(index);
    return this.#block;
  }

  #create(symbol: number, index: number): Uint32Array {
    const block = new Uint32Array(BLOCK_NUMBERS / 32);
    const blocks = this.#symbols[symbol] ?? new Map<number, Uint32Array>();
    this.#symbols[symbol] = blocks;
    blocks.set(index, block);
    this.#blocks++;
    this.#block = block;
    return block;
  }
}

const INITIAL_SLOTS = 1024;
const MAX_LOAD = 0.75;

/**
 * Texts per symbol as hashes of 64 bits, 8 to 16 bytes each. Two of 12 million texts have the same hash with a
 * probability of one in 250,000.
 */
class TextSet {
  /** Two words per slot, which are 0 if the slot is free. */
  #slots = new Int32Array(2 * INITIAL_SLOTS);
  #size = 0;
  #low = 0;
  #high = 0;

  /** Adds a cell. @returns whether the text is new for this symbol. */
  add(symbol: number, column: TextColumn, row: number): boolean {
    this.#hash(symbol, column, row);
    if (!this.#insert(this.#slots, this.#low, this.#high)) return false;
    this.#size++;
    if (2 * this.#size > MAX_LOAD * this.#slots.length) this.#grow();
    return true;
  }

  #insert(slots: Int32Array, low: number, high: number): boolean {
    const mask = slots.length - 1;
    for (let at = (low << 1) & mask; ; at = (at + 2) & mask) {
      const [slotLow, slotHigh] = [slots[at] as number, slots[at + 1] as number];
      if (slotLow === 0 && slotHigh === 0) {
        slots[at] = low;
        slots[at + 1] = high;
        return true;
      }
      if (slotLow === low && slotHigh === high) return false;
    }
  }

  #grow(): void {
    const old = this.#slots;
    const slots = new Int32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2) {
      const [low, high] = [old[at] as number, old[at + 1] as number];
      if (low !== 0 || high !== 0) this.#insert(slots, low, high);
    }
    this.#slots = slots;
  }

  /** MurmurHash3 with two lanes that are mixed at the end; never 0. */
  #hash(symbol: number, column: TextColumn, row: number): void {
    const { bytes, offsets } = column.encoding === 'dictionary' ? column.dictionary : column.text;
    const at = column.encoding === 'dictionary' ? (column.indices[row] as number) : row;
    const start = offsets[at] as number;
    const end = offsets[at + 1] as number;
    let a = symbol ^ 0x2f8b1c5d;
    let b = symbol ^ 0x6d1e9a37;
    for (let p = start; p < end; p += 4) {
      const word =
        (bytes[p] as number) |
        ((p + 1 < end ? (bytes[p + 1] as number) : 0) << 8) |
        ((p + 2 < end ? (bytes[p + 2] as number) : 0) << 16) |
        ((p + 3 < end ? (bytes[p + 3] as number) : 0) << 24);
      a = scramble(a, word, 0xcc9e2d51, 0x1b873593) + b;
      b = scramble(b, word, 0x239b961b, 0x38b34ae5) + a;
    }
    a ^= end - start;
    b ^= end - start;
    a = finish(a + b);
    b = finish(b + a);
    this.#low = a;
    this.#high = a === 0 && b === 0 ? 1 : b;
  }
}

function scramble(hash: number, word: number, first: number, second: number): number {
  const key = Math.imul(word, first);
  const mixed = hash ^ Math.imul((key << 15) | (key >>> 17), second);
  return Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0x561ccd1b;
}

function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
