import { type Column, isNeverEmpty } from '../../dataset/data-types.js';
import type { Schema } from '../columns.js';
import type { CellOptions } from '../ndjson/cell.js';
import { keysOf, lineRoom } from './limits.js';
import { PIECE_ROOM } from './types.js';
import { createSharedMemory, PAGE, type WasmMemory } from './wasm.js';

/** How a column's cells are written, as the kernel knows it. */
const KIND = { time: 0, number: 1, boolean: 2, text: 3, isoTime: 4, quotedNumber: 5 } as const;

/** What the kernel has for itself below the columns' records. */
const RECORDS = 16_384;
/** The bytes of a column's record: kind, address and length of its key, whether its cells may be empty. */
const RECORD = 16;
/** How far the kernel reads and writes past the end of anything, at most. */
const SLACK = 64;
/** Rows that begin alike are compared up to the first number, and up to so many columns. */
const MOST_LEADING = 256;

/** Room for the lines of a batch, to begin with: the usual ones take some 1 to 4 MB. */
const FIRST_ROOM = 4 * 1024 * 1024;

/** Where a batch's lines go. */
interface Region {
  readonly start: number;
  readonly size: number;
}

/** A kernel's memory: the columns' records and keys, one piece of text, and the lines of this batch and the last. */
export class LineMemory {
  readonly memory: WasmMemory;
  readonly keys: readonly Buffer[];
  readonly records = RECORDS;
  readonly leading: number;
  /** What a line takes at most besides its row's text, and what is written past its end. */
  readonly fixedRoom: number;
  /** Where the piece begins. */
  readonly piece: number;
  #bytes: Buffer;
  #regions: readonly [Region, Region];
  /** Everything from here on is free. */
  #top: number;

  constructor(schema: Schema, options: CellOptions) {
    this.keys = keysOf(schema);
    const firstNumber = schema.findIndex(({ kind }) => kind === 'number');
    this.leading = Math.min(firstNumber < 0 ? schema.length : firstNumber, MOST_LEADING);
    this.fixedRoom = lineRoom(schema) + SLACK;
    const keysAt = RECORDS + RECORD * schema.length;
    this.piece = this.keys.reduce((at, key) => at + key.length, keysAt) + SLACK;
    const first = this.piece + PIECE_ROOM + 1 + SLACK;
    this.#top = first + 2 * FIRST_ROOM;
    this.#regions = [
      { start: first, size: FIRST_ROOM },
      { start: first + FIRST_ROOM, size: FIRST_ROOM },
    ];
    this.memory = createSharedMemory(this.#top);
    this.#bytes = Buffer.from(this.memory.buffer);
    let keyAt = keysAt;
    for (const [i, column] of schema.entries()) {
      const key = this.keys[i] ?? Buffer.alloc(0);
      const record = [kindOf(column, options), keyAt, key.length, isNeverEmpty(column) ? 0 : 1];
      for (const [j, value] of record.entries())
        this.#bytes.writeInt32LE(value, RECORDS + RECORD * i + 4 * j);
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
   * Sees to `room` bytes behind `end`, up to where the present batch's lines come; returns where that is then. What
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
      this.memory.grow(Math.ceil(missing / PAGE));
      this.#bytes = Buffer.from(this.memory.buffer);
    }
    this.#bytes.copyWithin(moved.start, present.start, end);
    this.#regions = [moved, other];
    return moved.start + end - present.start;
  }
}

function kindOf({ kind }: Column, { times, numbers }: CellOptions): number {
  if (kind === 'time') return times === 'iso' ? KIND.isoTime : KIND.time;
  if (kind === 'number') return numbers === 'string' ? KIND.quotedNumber : KIND.number;
  return kind === 'integer' ? KIND.time : KIND[kind];
}
