import type { ColumnMemory } from './column-memory.js';

/** A buffer in a memory; its content is lost when it grows. */
export class ScratchRegion {
  readonly #memory: Pick<ColumnMemory, 'allocate'>;
  #at = 0;
  #room = 0;

  constructor(memory: Pick<ColumnMemory, 'allocate'>) {
    this.#memory = memory;
  }

  /** Address of a buffer of at least `bytes` bytes. */
  at(bytes: number): number {
    if (bytes > this.#room || this.#room === 0) {
      this.#room = Math.max(bytes, 2 * this.#room, 1024);
      this.#at = this.#memory.allocate(this.#room);
    }
    return this.#at;
  }
}
