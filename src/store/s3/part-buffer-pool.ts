import { PART_BYTES } from './part-size.js';

/** Parts that are kept for the next upload: memory that is used again needs not be asked of the system, and cleared. */
const MAX_SPARE_BUFFERS = 20;

/** The memory in which parts fill, and wait for their way to the store. How much there is at once, callers bound. */
export class PartBufferPool {
  readonly #spare: Buffer[] = [];

  acquire(bytes: number): Buffer {
    return (bytes === PART_BYTES ? this.#spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(bytes);
  }

  /** Nobody may hold it any more. */
  release(buffer: Buffer): void {
    if (buffer.length === PART_BYTES && this.#spare.length < MAX_SPARE_BUFFERS) this.#spare.push(buffer);
  }
}
