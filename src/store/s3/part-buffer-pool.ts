import { TickhaulError } from '../../base/errors.js';

/** Limit of S3 for the parts of one upload. */
export const MAX_PARTS = 10_000;
/** Usual size of a part; larger objects need larger parts. S3 requires at least 5 MiB. */
export const PART_BYTES = 6 * 1024 * 1024;
/** Memory used by an upload: one part that is sent, one that is filled. */
export const UPLOAD_MEMORY_BYTES = 2 * PART_BYTES;
const PART_STEP_BYTES = 1024 * 1024;
const MAX_PART_BYTES = 5 * 1024 ** 3;

/** Number of buffers kept for reuse, which is cheaper than allocating and clearing memory. */
const MAX_SPARE_BUFFERS = 20;

/** Buffers of parts that are filled or sent. The callers limit how many are in use at once. */
export class PartBufferPool {
  readonly #spare: Buffer[] = [];

  acquire(bytes: number): Buffer {
    return (bytes === PART_BYTES ? this.#spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(bytes);
  }

  /** Call it only once the buffer is no longer in use. */
  release(buffer: Buffer): void {
    if (buffer.length === PART_BYTES && this.#spare.length < MAX_SPARE_BUFFERS) this.#spare.push(buffer);
  }
}

/**
 * Size of all parts of an upload except the last. Some stores (R2) require equal sizes.
 * @param bytes size of the object; if undefined, it may be as large as parts of the usual size allow.
 * @throws TickhaulError `disk` for an object larger than S3 supports.
 */
export function choosePartBytes(bytes: number | undefined): number {
  const minBytes = Math.ceil((bytes ?? 0) / MAX_PARTS);
  const size = Math.max(PART_BYTES, Math.ceil(minBytes / PART_STEP_BYTES) * PART_STEP_BYTES);
  if (size <= MAX_PART_BYTES) return size;
  throw new TickhaulError('disk', `an object of ${bytes} bytes is larger than an object store supports`);
}
