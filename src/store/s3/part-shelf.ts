import { PART_SIZE } from './part-size.js';

/** Parts that are kept for the next upload: memory that is used again needs not be asked of the system, and cleared. */
const MOST_SPARE = 20;

/** The memory in which parts fill, and wait for their way to the store. How much there is at once, callers bound. */
export class PartShelf {
  readonly #spare: Buffer[] = [];

  take(bytes: number): Buffer {
    return (bytes === PART_SIZE ? this.#spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(bytes);
  }

  /** Nobody may hold it any more. */
  give(buffer: Buffer): void {
    if (buffer.length === PART_SIZE && this.#spare.length < MOST_SPARE) this.#spare.push(buffer);
  }
}
