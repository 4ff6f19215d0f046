import type { SpillFile } from '../spill-file.js';
import { createEventColumns, EVENT_BYTES, type EventColumns } from './event-columns.js';

/** Events of a chunk that is full. */
export const CHUNK_ROWS = 16_384;
const CHUNK_BYTES = EVENT_BYTES * CHUNK_ROWS;
/** Chunks that are allocated together: each allocation makes the garbage collector run sooner. */
const SLAB_CHUNKS = 32;

/** Events in memory or in the spill file. */
export interface EventChunk {
  /** Undefined if they are in the file. */
  columns: EventColumns | undefined;
  rows: number;
  /** Where a full chunk is in the file. */
  position: number;
}

/** Full chunks of all runs of a job: in memory up to a limit, the others in a file. */
export class EventSpace {
  readonly #createSpill: () => Promise<SpillFile>;
  #freeBytes: number;
  #spill: SpillFile | undefined;
  #hasFullChunk = false;
  readonly #waiting: EventChunk[] = [];
  /** Writes run one after the other. */
  #flushed = Promise.resolve();
  /** Columns that no chunk has. */
  readonly #unused: EventColumns[] = [];

  constructor(createSpill: () => Promise<SpillFile>, memoryBytes: number) {
    this.#createSpill = createSpill;
    this.#freeBytes = memoryBytes;
  }

  get hasFullChunk(): boolean {
    return this.#hasFullChunk;
  }

  /** Takes a full chunk, which does not change any more. */
  add(chunk: EventChunk): void {
    this.#hasFullChunk = true;
    this.#freeBytes -= CHUNK_BYTES;
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
      await this.#spill.write(bytesOf(columns));
      chunk.columns = undefined;
      this.#unused.push(columns);
      this.#freeBytes += CHUNK_BYTES;
    }
  }

  /** Columns for a new chunk, or a part of one. */
  createColumns(rows: number): EventColumns {
    if (rows < CHUNK_ROWS) return createEventColumns(rows);
    if (this.#unused.length === 0) {
      const slab = new ArrayBuffer(CHUNK_BYTES * SLAB_CHUNKS);
      for (let chunk = SLAB_CHUNKS - 1; chunk >= 0; chunk--)
        this.#unused.push(createEventColumns(CHUNK_ROWS, slab, CHUNK_BYTES * chunk));
    }
    return this.#unused.pop() as EventColumns;
  }

  /** Reads a chunk that is in the file. @param columns of a full chunk, to fill. */
  async read({ position }: EventChunk, columns: EventColumns): Promise<void> {
    await this.#spill?.read(bytesOf(columns), position);
  }
}

function bytesOf({ exch: { buffer, byteOffset } }: EventColumns): Uint8Array {
  return new Uint8Array(buffer, byteOffset, CHUNK_BYTES);
}
