import type { ColumnMemory } from '../column-memory.js';

/** A part of a memory that work is done in; what it holds is lost when it has to grow. */
class Region {
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
  readonly body: Region;
  /** A 32-bit integer a value: its position in a dictionary, or its shared prefix. */
  readonly indices: Region;
  /** Hash tables. */
  readonly slots: Region;
  /** A dictionary's values, or where they first occur. */
  readonly distinct: Region;
  /** Texts of a dictionary, their offsets, and the lengths of the texts of a page. */
  readonly texts: Region;
  readonly offsets: Region;
  readonly lengths: Region;
  /** Definition levels of a page. */
  readonly levels: Region;

  constructor(memory: ColumnMemory) {
    this.body = new Region(memory);
    this.indices = new Region(memory);
    this.slots = new Region(memory);
    this.distinct = new Region(memory);
    this.texts = new Region(memory);
    this.offsets = new Region(memory);
    this.lengths = new Region(memory);
    this.levels = new Region(memory);
  }
}
