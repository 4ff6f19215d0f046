import { TickhaulError } from '../../base/errors.js';

/** Of S3: more parts than this, an upload can't have. */
export const MAX_PARTS = 10_000;
/** Bytes of a part, unless the object needs larger ones: S3 takes 5 MiB and more. */
export const PART_BYTES = 6 * 1024 * 1024;
/** Bytes that an upload takes: one part on its way, one that fills. */
export const UPLOAD_MEMORY_BYTES = 2 * PART_BYTES;
const PART_STEP_BYTES = 1024 * 1024;
const MAX_PART_BYTES = 5 * 1024 ** 3;

/**
 * Bytes of each part but the last of an upload: one size from the first to the last, as some stores (R2) ask for.
 * @param bytes of the whole; where nobody knows, as much as parts of the usual size can hold is expected.
 * @throws TickhaulError `disk` for an object larger than S3 can hold.
 */
export function choosePartBytes(bytes: number | undefined): number {
  const least = Math.ceil((bytes ?? 0) / MAX_PARTS);
  const size = Math.max(PART_BYTES, Math.ceil(least / PART_STEP_BYTES) * PART_STEP_BYTES);
  if (size <= MAX_PART_BYTES) return size;
  throw new TickhaulError('disk', `an object of ${bytes} bytes is larger than a store takes`);
}
