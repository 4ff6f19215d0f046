import type { ColumnMemory } from '../column-memory.js';

/** A part of a memory that work is done in; what it holds is lost when it has to grow. */
class ScratchRegion {
  readonly #memory: ColumnMemory;
  #at = 0;
  #room = 0;

  constructor(memory: ColumnMemory) {
    this.#memory = memory;
  }

  /** The address of room for so many bytes. */
  at(bytes: number): number {
    if (bytes > this.#room || this.#room === 0) {
      this.#room = Math.max(bytes, 2 * this.#room, 1024);
      this.#at = this.#memory.allocate(this.#room);
    }
    return this.#at;
  }
}

/** Where a column is encoded: what is here is of one column, and goes with the next. */
export class Scratch {
  /** A page's body, or a dictionary's. */
  readonly body: ScratchRegion;
  /** A 32-bit integer a value: its position in a dictionary, or its shared prefix. */
  readonly indices: ScratchRegion;
  /** Hash tables. */
  readonly slots: ScratchRegion;
  /** A dictionary's values, or where they first occur. */
  readonly distinct: ScratchRegion;
  /** Texts of a dictionary, their offsets, and the lengths of the texts of a page. */
  readonly texts: ScratchRegion;
  readonly offsets: ScratchRegion;
  readonly lengths: ScratchRegion;
  /** Definition levels of a page. */
  readonly levels: ScratchRegion;

  constructor(memory: ColumnMemory) {
    this.body = new ScratchRegion(memory);
    this.indices = new ScratchRegion(memory);
    this.slots = new ScratchRegion(memory);
    this.distinct = new ScratchRegion(memory);
    this.texts = new ScratchRegion(memory);
    this.offsets = new ScratchRegion(memory);
    this.lengths = new ScratchRegion(memory);
    this.levels = new ScratchRegion(memory);
  }
}
