import type { FeedRun } from '../../feeds/feed-run.js';
import type { OpenedFeed } from '../../feeds/open-feed.js';
import type { RawBatch } from '../../feeds/read/raw-batch.js';
import { fillOrFlush } from '../fill-or-flush.js';
import type { SwapBuffer } from '../handover.js';
import { DisconnectCounter } from '../raw/disconnect-counter.js';
import { mergeParts } from '../raw/merge-parts.js';
import type { FeedTextBuffer } from './feed-text.js';

export interface ReadFeedsInput {
  readonly run: FeedRun;
  /** Consecutive feeds of one exchange. */
  readonly feeds: readonly OpenedFeed[];
  /** Called with the number of minutes of the period that were read. */
  readonly onMinutes: (minutes: number) => void;
  readonly stopped: AbortSignal;
}

/**
 * Reads the text of consecutive feeds: parts are merged by local timestamp, and a disconnect seen by several
 * parts is output once.
 * @throws TickhaulError after all earlier text was handed over: as `readFeedPart`.
 */
export async function readFeeds(
  { run, feeds, onMinutes, stopped }: ReadFeedsInput,
  swap: SwapBuffer<FeedTextBuffer>,
): Promise<void> {
  // A text is handed over from this size on; a single line may be larger.
  const maxTextBytes = run.bufferBytes / 2;
  let text = await swap(undefined);
  text.clear();
  const handOver = async (minBytes: number): Promise<void> => {
    if (text.length < minBytes) return;
    text = await swap(text);
    text.clear();
  };
  const readFeed = async ({ parts }: OpenedFeed): Promise<void> => {
    const onPartMinutes = (minutes: number): void => onMinutes(minutes / parts.length);
    const merge = mergeParts(run, parts, onPartMinutes, stopped);
    const disconnects = new DisconnectCounter(parts.length);
    try {
      while (await fillOrFlush(merge, () => handOver(1))) {
        while (merge.next()) {
          const { batch, end, input } = merge;
          for (let at = merge.start; at < end; ) {
            if (batch.isDisconnect(at)) {
              if (disconnects.isNew(input, batch.starts[at] as number)) text.addDisconnect();
              at++;
              continue;
            }
            const until = findRunEnd(batch, at, end, maxTextBytes);
            text.add(batch.text.subarray(batch.starts[at], (batch.ends[until - 1] as number) + 1));
            disconnects.onLine(input);
            at = until;
            await handOver(maxTextBytes);
          }
        }
        await handOver(maxTextBytes / 2);
      }
    } finally {
      await merge.close();
    }
  };
  try {
    for (const feed of feeds) await readFeed(feed);
  } finally {
    await handOver(1);
  }
}

/** Finds adjacent lines, which are copied together. @returns index after the last of them. */
function findRunEnd({ starts, ends }: RawBatch, at: number, end: number, maxBytes: number): number {
  const maxEnd = (starts[at] as number) + maxBytes;
  let until = at + 1;
  while (
    until < end &&
    starts[until] === (ends[until - 1] as number) + 1 &&
    (ends[until] as number) < maxEnd
  ) {
    until++;
  }
  return until;
}
