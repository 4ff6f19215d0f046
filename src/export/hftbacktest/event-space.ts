import type { SpillFile } from '../job-memory.js';
import { createEventColumns, EVENT_BYTES, type EventColumns } from './event-columns.js';

const CHUNK_ROWS = 16_384;
/** Chunks that are allocated together: each allocation makes the garbage collector run sooner. */
const SLAB_CHUNKS = 32;

/** Events in memory or in the spill file. */
export interface EventChunk {
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
