import { copyEvents, createEventColumns, type EventColumns } from './event-columns.js';
import type { EventChunk, EventSpace } from './event-space.js';

/** A grouped file can have thousands of symbols with few events each. */
const FIRST_ROWS = 16;

/** Events in the order in which they were added. A run with few events takes little memory. */
export class EventRun {
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
