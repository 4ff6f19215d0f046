import { createSharedMemory, WASM_PAGE_BYTES, type WasmMemory } from '../../base/wasm.js';
import { type Column, isNeverEmpty } from '../../dataset/data-types.js';
import type { Schema } from '../batch.js';
import { PIECE_CAPACITY_BYTES } from '../kernel/kernel-job.js';
import type { CellOptions } from './json-cell.js';
import { columnKeys, maxLineOverheadBytes } from './line-limits.js';

/** Kinds of cells as numbered in assembly/ndjson/ndjson-kernel.ts. */
const CELL_KINDS = { time: 0, number: 1, boolean: 2, text: 3, isoTime: 4, quotedNumber: 5 } as const;

/** Start of the column records; the kernel uses the memory below for itself. */
const RECORDS_OFFSET = 16_384;
/** Size of a column record: kind, address and length of the key, whether cells may be empty. */
const RECORD_BYTES = 16;
/** Maximum distance at which the kernel reads and writes after the end of a region. */
const SLACK_BYTES = 64;
/** Limits the columns, up to the first number, that are compared with those of the previous row. */
const MAX_LEADING_COLUMNS = 256;

/** Initial size of the region for a batch's lines; usual batches have 1 to 4 MB. */
const INITIAL_LINES_BYTES = 4 * 1024 * 1024;

/** Region for the lines of a batch. */
interface LineRegion {
  readonly start: number;
  readonly size: number;
}

/**
 * Memory of a kernel: column records and keys, one piece of text, and the lines of the current and the
 * previous batch.
 */
export class LineMemory {
  readonly memory: WasmMemory;
  readonly keys: readonly Buffer[];
  readonly records = RECORDS_OFFSET;
  readonly leading: number;
  /** Maximum size of a line without the text of its row, plus the slack. */
  readonly fixedRoom: number;
  /** Address of the piece. */
  readonly piece: number;
  #bytes: Buffer;
  #regions: readonly [LineRegion, LineRegion];
  /** Start of the free memory. */
  #top: number;

  constructor(schema: Schema, options: CellOptions) {
    this.keys = columnKeys(schema);
    const firstNumber = schema.findIndex(({ kind }) => kind === 'number');
    this.leading = Math.min(firstNumber < 0 ? schema.length : firstNumber, MAX_LEADING_COLUMNS);
    this.fixedRoom = maxLineOverheadBytes(schema) + SLACK_BYTES;
    const keysStart = RECORDS_OFFSET + RECORD_BYTES * schema.length;
    this.piece = this.keys.reduce((at, key) => at + key.length, keysStart) + SLACK_BYTES;
    const first = this.piece + PIECE_CAPACITY_BYTES + 1 + SLACK_BYTES;
    this.#top = first + 2 * INITIAL_LINES_BYTES;
    this.#regions = [
      { start: first, size: INITIAL_LINES_BYTES },
      { start: first + INITIAL_LINES_BYTES, size: INITIAL_LINES_BYTES },
    ];
    this.memory = createSharedMemory(this.#top);
    this.#bytes = Buffer.from(this.memory.buffer);
    let keyAt = keysStart;
    for (const [i, column] of schema.entries()) {
      const key = this.keys[i] ?? Buffer.alloc(0);
      const record = [getCellKind(column, options), keyAt, key.length, isNeverEmpty(column) ? 0 : 1];
      for (const [j, value] of record.entries())
        this.#bytes.writeInt32LE(value, RECORDS_OFFSET + RECORD_BYTES * i + 4 * j);
      this.#bytes.set(key, keyAt);
      keyAt += key.length;
    }
  }

  /** The whole memory; becomes invalid when the memory grows. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Start of the current batch's lines. */
  get start(): number {
    return this.#regions[0].start;
  }

  /** End of the region for the current batch's lines. */
  get limit(): number {
    return this.start + this.#regions[0].size;
  }

  /** Keeps the lines of the current batch. The next batch overwrites those of the previous one. */
  swapRegions(): void {
    const [current, other] = this.#regions;
    this.#regions = [other, current];
  }

  /**
   * Ensures `room` bytes after `end`, the end of the current batch's lines. Returns the new end. A region
   * that is too small is abandoned; this wastes little, as each region has at least twice the size of the one
   * before.
   */
  reserve(end: number, room: number): number {
    if (end + room <= this.limit) return end;
    const [current, other] = this.#regions;
    const size = Math.max(2 * current.size, end - current.start + room);
    const enlarged = { start: this.#top, size };
    this.#top += size;
    const missing = this.#top - this.#bytes.length;
    if (missing > 0) {
      this.memory.grow(Math.ceil(missing / WASM_PAGE_BYTES));
      this.#bytes = Buffer.from(this.memory.buffer);
    }
    this.#bytes.copyWithin(enlarged.start, current.start, end);
    this.#regions = [enlarged, other];
    return enlarged.start + end - current.start;
  }
}

function getCellKind({ kind }: Column, { times, numbers }: CellOptions): number {
  if (kind === 'time') return times === 'iso' ? CELL_KINDS.isoTime : CELL_KINDS.time;
  if (kind === 'number') return numbers === 'string' ? CELL_KINDS.quotedNumber : CELL_KINDS.number;
  return kind === 'integer' ? CELL_KINDS.time : CELL_KINDS[kind];
}
