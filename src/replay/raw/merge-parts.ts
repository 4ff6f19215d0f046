import { RawBatch } from '../../feeds/read/raw-batch.js';
import { readPart } from '../../feeds/read/read-part.js';
import type { FeedPart } from '../../feeds/read/slices-ahead.js';
import type { FeedRun } from '../../feeds/types.js';
import { Merge } from '../../market/merge.js';
import { createHandover } from '../handover.js';

/**
 * The lines of parts, merged by local timestamp, to a tenth of a microsecond; ties go to the first.
 * @param onMinutes told how many minutes were read, of all parts.
 * @param stopped ends the reading.
 */
export function mergeParts(
  run: FeedRun,
  parts: readonly FeedPart[],
  onMinutes: (minutes: number) => void,
  stopped: AbortSignal,
): Merge<RawBatch> {
  const base = Math.min(...parts.map(({ range }) => range.start));
  return new Merge(
    parts.map((part) =>
      createHandover([new RawBatch(), new RawBatch()], (exchange) =>
        readPart(run, part, exchange, onMinutes, stopped, base),
      ),
    ),
  );
}
