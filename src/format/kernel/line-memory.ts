import { type Column, isNeverEmpty } from '../../dataset/data-types.js';
import type { Schema } from '../batch.js';
import type { CellOptions } from '../ndjson/json-cell.js';
import { columnKeys, maxLineOverheadBytes } from './batch-limits.js';
import { PIECE_CAPACITY_BYTES } from './kernel-job.js';
import { createSharedMemory, WASM_PAGE_BYTES, type WasmMemory } from './wasm.js';

/** How a column's cells are written, as the kernel knows it. */
const CELL_KINDS = { time: 0, number: 1, boolean: 2, text: 3, isoTime: 4, quotedNumber: 5 } as const;

/** What the kernel has for itself below the columns' records. */
const RECORDS_OFFSET = 16_384;
/** The bytes of a column's record: kind, address and length of its key, whether its cells may be empty. */
const RECORD_BYTES = 16;
/** How far the kernel reads and writes past the end of anything, at most. */
const SLACK_BYTES = 64;
/** Rows that begin alike are compared up to the first number, and up to so many columns. */
const MAX_LEADING_COLUMNS = 256;

/** Room for the lines of a batch, to begin with: the usual ones take some 1 to 4 MB. */
const INITIAL_LINES_BYTES = 4 * 1024 * 1024;

/** Where a batch's lines go. */
interface LineRegion {
  readonly start: number;
  readonly size: number;
}

/** A kernel's memory: the columns' records and keys, one piece of text, and the lines of this batch and the last. */
export class LineMemory {
  readonly memory: WasmMemory;
  readonly keys: readonly Buffer[];
  readonly records = RECORDS_OFFSET;
  readonly leading: number;
  /** What a line takes at most besides its row's text, and what is written past its end. */
  readonly fixedRoom: number;
  /** Where the piece begins. */
  readonly piece: number;
  #bytes: Buffer;
  #regions: readonly [LineRegion, LineRegion];
  /** Everything from here on is free. */
  #top: number;

  constructor(schema: Schema, options: CellOptions) {
    this.keys = columnKeys(schema);
    const firstNumber = schema.findIndex(({ kind }) => kind === 'number');
    this.leading = Math.min(firstNumber < 0 ? schema.length : firstNumber, MAX_LEADING_COLUMNS);
    this.fixedRoom = maxLineOverheadBytes(schema) + SLACK_BYTES;
    const keysAt = RECORDS_OFFSET + RECORD_BYTES * schema.length;
    this.piece = this.keys.reduce((at, key) => at + key.length, keysAt) + SLACK_BYTES;
    const first = this.piece + PIECE_CAPACITY_BYTES + 1 + SLACK_BYTES;
    this.#top = first + 2 * INITIAL_LINES_BYTES;
    this.#regions = [
      { start: first, size: INITIAL_LINES_BYTES },
      { start: first + INITIAL_LINES_BYTES, size: INITIAL_LINES_BYTES },
    ];
    this.memory = createSharedMemory(this.#top);
    this.#bytes = Buffer.from(this.memory.buffer);
    let keyAt = keysAt;
    for (const [i, column] of schema.entries()) {
      const key = this.keys[i] ?? Buffer.alloc(0);
      const record = [cellKind(column, options), keyAt, key.length, isNeverEmpty(column) ? 0 : 1];
      for (const [j, value] of record.entries())
        this.#bytes.writeInt32LE(value, RECORDS_OFFSET + RECORD_BYTES * i + 4 * j);
      this.#bytes.set(key, keyAt);
      keyAt += key.length;
    }
  }

  /** All of the memory, till it grows. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Where the present batch's lines begin. */
  get start(): number {
    return this.#regions[0].start;
  }

  /** What they must stay before. */
  get limit(): number {
    return this.start + this.#regions[0].size;
  }

  /** Leaves the present batch's lines where they are: the next one's go to where those of the batch before were. */
  turn(): void {
    const [present, other] = this.#regions;
    this.#regions = [other, present];
  }

  /**
   * Sees to `room` bytes behind `endConversion`, up to where the present batch's lines come; returns where that is then. What
   * was too small is left: there are not many of them, as each is at least twice the one before it.
   */
  reserve(end: number, room: number): number {
    if (end + room <= this.limit) return end;
    const [present, other] = this.#regions;
    const size = Math.max(2 * present.size, end - present.start + room);
    const moved = { start: this.#top, size };
    this.#top += size;
    const missing = this.#top - this.#bytes.length;
    if (missing > 0) {
      this.memory.grow(Math.ceil(missing / WASM_PAGE_BYTES));
      this.#bytes = Buffer.from(this.memory.buffer);
    }
    this.#bytes.copyWithin(moved.start, present.start, end);
    this.#regions = [moved, other];
    return moved.start + end - present.start;
  }
}

function cellKind({ kind }: Column, { times, numbers }: CellOptions): number {
  if (kind === 'time') return times === 'iso' ? CELL_KINDS.isoTime : CELL_KINDS.time;
  if (kind === 'number') return numbers === 'string' ? CELL_KINDS.quotedNumber : CELL_KINDS.number;
  return kind === 'integer' ? CELL_KINDS.time : CELL_KINDS[kind];
}
