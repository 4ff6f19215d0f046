import { TickhaulError } from '../../base/errors.js';

/** Of S3: more parts than this, an upload can't have. */
export const MOST_PARTS = 10_000;
/** Bytes of a part, unless the object needs larger ones: S3 takes 5 MiB and more. */
export const PART_SIZE = 6 * 1024 * 1024;
/** Bytes that an upload takes: one part on its way, one that fills. */
export const UPLOAD_BYTES = 2 * PART_SIZE;
const STEP = 1024 * 1024;
const LARGEST_PART = 5 * 1024 ** 3;

/**
 * Bytes of each part but the last of an upload: one size from the first to the last, as some stores (R2) ask for.
 * @param bytes of the whole; where nobody knows, as much as parts of the usual size can hold is expected.
 * @throws TickhaulError `disk` for an object larger than S3 can hold.
 */
export function partSizeFor(bytes: number | undefined): number {
  const least = Math.ceil((bytes ?? 0) / MOST_PARTS);
  const size = Math.max(PART_SIZE, Math.ceil(least / STEP) * STEP);
  if (size <= LARGEST_PART) return size;
  throw new TickhaulError('disk', `an object of ${bytes} bytes is larger than a store takes`);
}
