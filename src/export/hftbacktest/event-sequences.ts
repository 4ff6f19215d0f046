import type { SpillFile } from '../job-memory.js';

/**
 * The byte that stands for `ev` in this folder: the kind, and above it bits 28 to 31 of `ev`
 * (docs/spec/hftbacktest-format.md#event-flags).
 */
export const DEPTH = 1;
export const TRADE = 2;
export const CLEAR = 3;
export const SNAPSHOT = 4;
export const SELL_BIT = 0x10;
export const BUY_BIT = 0x20;
export const VALID_LOCAL = 0x40;
export const VALID_EXCH = 0x80;
/** Kind and side. */
export const EVENT_MASK = 0x3f;
/** An event is earlier than one before it on this clock. Stored in the bits that only merged events use. */
export const LATE_LOCAL = VALID_LOCAL;
export const LATE_EXCH = VALID_EXCH;

/** Bytes of an event in columns. */
export const EVENT_BYTES = 33;

/** Columns of events. */
export interface EventColumns {
  /** Integer microseconds since the epoch, as `local`. */
  readonly exch: Float64Array;
  readonly local: Float64Array;
  readonly px: Float64Array;
  readonly qty: Float64Array;
  /** Bits and codes of events, as above. */
  readonly ev: Uint8Array;
}

/** Columns one after the other in a buffer. @param at where they begin, a multiple of 8. */
export function createEventColumns(
  rows: number,
  buffer: ArrayBufferLike = new ArrayBuffer(EVENT_BYTES * rows),
  at = 0,
): EventColumns {
  const column = (index: number): Float64Array => new Float64Array(buffer, at + 8 * rows * index, rows);
  return {
    exch: column(0),
    local: column(1),
    px: column(2),
    qty: column(3),
    ev: new Uint8Array(buffer, at + 32 * rows, rows),
  };
}

/** Copies events from `start` up to `end` to those from `at` on. */
export function copyEvents(
  to: EventColumns,
  from: EventColumns,
  at: number,
  start: number,
  end: number,
): void {
  to.exch.set(from.exch.subarray(start, end), at);
  to.local.set(from.local.subarray(start, end), at);
  to.px.set(from.px.subarray(start, end), at);
  to.qty.set(from.qty.subarray(start, end), at);
  to.ev.set(from.ev.subarray(start, end), at);
}

export function copyEvent(to: EventColumns, at: number, from: EventColumns, row: number): void {
  to.exch[at] = from.exch[row] as number;
  to.local[at] = from.local[row] as number;
  to.px[at] = from.px[row] as number;
  to.qty[at] = from.qty[row] as number;
  to.ev[at] = from.ev[row] as number;
}

const CHUNK_ROWS = 16_384;
/** Chunks that are allocated together: each allocation makes the garbage collector run sooner. */
const SLAB_CHUNKS = 32;

/** Events in memory or in the spill file. */
interface EventChunk {
  /** Undefined if they are in the file, or dropped. */
  columns: EventColumns | undefined;
  rows: number;
  /** Where a full chunk is in the file. */
  position: number;
}

/** Full chunks of all runs of a job: in memory up to a limit, the others in a file. */
export class EventSpace {
  /** Events of a full chunk. */
  readonly chunkRows: number;
  readonly #chunkBytes: number;
  readonly #createSpill: () => Promise<SpillFile>;
  #freeBytes: number;
  #spill: SpillFile | undefined;
  #hasFullChunk = false;
  readonly #waiting: EventChunk[] = [];
  /** Writes run one after the other. */
  #flushed = Promise.resolve();
  /** Columns that no chunk has. */
  readonly #unused: EventColumns[] = [];

  /** @param chunkRows a multiple of 8. */
  constructor(createSpill: () => Promise<SpillFile>, memoryBytes: number, chunkRows = CHUNK_ROWS) {
    this.chunkRows = chunkRows;
    this.#chunkBytes = EVENT_BYTES * chunkRows;
    this.#createSpill = createSpill;
    this.#freeBytes = memoryBytes;
  }

  get hasFullChunk(): boolean {
    return this.#hasFullChunk;
  }

  /** Takes a full chunk, which does not change any more. */
  add(chunk: EventChunk): void {
    this.#hasFullChunk = true;
    this.#freeBytes -= this.#chunkBytes;
    if (this.#freeBytes < 0) this.#waiting.push(chunk);
  }

  /** Writes chunks beyond the limit to the file. Call it often. @throws TickhaulError `disk`. */
  flush(): Promise<void> {
    if (this.#waiting.length > 0) this.#flushed = this.#flushed.then(() => this.#writeWaiting());
    return this.#flushed;
  }

  async #writeWaiting(): Promise<void> {
    for (const chunk of this.#waiting.splice(0)) {
      this.#spill ??= await this.#createSpill();
      chunk.position = this.#spill.bytes;
      const columns = chunk.columns as EventColumns;
      await this.#spill.write(this.#bytesOf(columns));
      chunk.columns = undefined;
      this.#unused.push(columns);
      this.#freeBytes += this.#chunkBytes;
    }
  }

  /** Takes back the columns of a full chunk, which is not read any more. */
  drop(chunk: EventChunk): void {
    if (!chunk.columns) return;
    this.#unused.push(chunk.columns);
    this.#freeBytes += this.#chunkBytes;
    chunk.columns = undefined;
  }

  /** Columns for a new chunk, or a part of one. */
  createColumns(rows: number): EventColumns {
    const { chunkRows } = this;
    if (rows < chunkRows) return createEventColumns(rows);
    if (this.#unused.length === 0) {
      const slab = new ArrayBuffer(this.#chunkBytes * SLAB_CHUNKS);
      for (let chunk = SLAB_CHUNKS - 1; chunk >= 0; chunk--)
        this.#unused.push(createEventColumns(chunkRows, slab, this.#chunkBytes * chunk));
    }
    return this.#unused.pop() as EventColumns;
  }

  /** Reads a chunk that is in the file. @param columns of a full chunk, to fill. */
  async read({ position }: EventChunk, columns: EventColumns): Promise<void> {
    await this.#spill?.read(this.#bytesOf(columns), position);
  }

  #bytesOf({ exch: { buffer, byteOffset } }: EventColumns): Uint8Array {
    return new Uint8Array(buffer, byteOffset, this.#chunkBytes);
  }
}

/** A grouped file can have thousands of symbols with few events each. */
const FIRST_ROWS = 16;

/** Events in the order in which they were added. A run with few events takes little memory. */
export class EventSequence {
  readonly #space: EventSpace;
  readonly #chunks: EventChunk[] = [];
  #last: EventChunk = { columns: undefined, rows: 0, position: 0 };
  #columns = createEventColumns(0);
  #capacity = 0;
  #dropped = 0;

  constructor(space: EventSpace) {
    this.#space = space;
  }

  get chunks(): readonly EventChunk[] {
    return this.#chunks;
  }

  /** Adds events from `start` up to `end`. */
  push(events: EventColumns, start: number, end: number): void {
    for (let from = start; from < end; ) {
      if (this.#last.rows === this.#capacity) this.#grow();
      const { rows } = this.#last;
      const until = Math.min(end, from + this.#capacity - rows);
      copyEvents(this.#columns, events, rows, from, until);
      this.#last.rows += until - from;
      from = until;
    }
  }

  /** Gives the memory of the first chunks to others. Only full chunks may be dropped. */
  drop(chunks: number): void {
    for (; this.#dropped < chunks; this.#dropped++) {
      const chunk = this.#chunks[this.#dropped];
      if (chunk && chunk !== this.#last) this.#space.drop(chunk);
    }
  }

  #grow(): void {
    const isFull = this.#capacity === this.#space.chunkRows;
    if (isFull) this.#space.add(this.#last);
    const isNew = isFull || this.#capacity === 0;
    if (!isFull) this.#capacity = Math.min(this.#space.chunkRows, Math.max(FIRST_ROWS, 2 * this.#capacity));
    const columns = this.#space.createColumns(this.#capacity);
    if (isNew) {
      this.#last = { columns, rows: 0, position: 0 };
      this.#chunks.push(this.#last);
    } else {
      copyEvents(columns, this.#columns, 0, 0, this.#last.rows);
      this.#last.columns = columns;
    }
    this.#columns = columns;
  }
}

export type Clock = 'exch' | 'local';

/** A run whose events ascend on a clock, but for those with the bit `skip`, which other runs have. */
export interface AscendingSequence {
  readonly run: EventSequence;
  readonly skip: number;
  /** Resolves when a chunk may be read, or when there is none; those before it are not read any more. @throws ReadAgain. */
  readonly enter?: ((chunk: number) => Promise<void>) | undefined;
}
