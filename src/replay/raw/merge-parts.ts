import type { FeedRun } from '../../feeds/feed-run.js';
import { RawBatch } from '../../feeds/read/raw-batch.js';
import { readFeedPart } from '../../feeds/read/read-feed-part.js';
import type { FeedPart } from '../../feeds/read/slice-prefetcher.js';
import { TimeMerge } from '../../market/time-merge.js';
import { createHandover } from '../handover.js';

/**
 * Merges the lines of parts by local timestamp, to 100 ns; ties go to the first part.
 * @param onMinutes called with the number of minutes read, of all parts.
 * @param stopped ends all reading.
 * @param partSignals one signal for each part, which ends only that part.
 */
export function mergeParts(
  run: FeedRun,
  parts: readonly FeedPart[],
  onMinutes: (minutes: number) => void,
  stopped: AbortSignal,
  partSignals: readonly AbortSignal[] = [],
): TimeMerge<RawBatch> {
  const base = Math.min(...parts.map(({ range }) => range.start));
  return new TimeMerge(
    parts.map((part, index) =>
      createHandover([new RawBatch(), new RawBatch()], async (swap) => {
        const partSignal = partSignals[index];
        const anyOf = partSignal ? AbortSignal.any([stopped, partSignal]) : stopped;
        await readFeedPart(run, part, swap, onMinutes, anyOf, base).catch((error: unknown) => {
          if (!partSignal?.aborted) throw error;
        });
      }),
    ),
  );
}
