import { PART_BYTES } from './part-size.js';

/** Number of buffers kept for reuse, which is cheaper than allocating and clearing memory. */
const MAX_SPARE_BUFFERS = 20;

/** Buffers of parts that are filled or sent. The callers limit how many are in use at once. */
export class PartBufferPool {
  readonly #spare: Buffer[] = [];

  acquire(bytes: number): Buffer {
    return (bytes === PART_BYTES ? this.#spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(bytes);
  }

  /** Call it only if the buffer is no longer used. */
  release(buffer: Buffer): void {
    if (buffer.length === PART_BYTES && this.#spare.length < MAX_SPARE_BUFFERS) this.#spare.push(buffer);
  }
}
