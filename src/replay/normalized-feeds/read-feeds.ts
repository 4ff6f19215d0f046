import { sharedPageMemory } from '../../base/memory.js';
import type { FeedReadContext } from '../../raw-feeds/feed-read-context.js';
import type { OpenedFeed } from '../../raw-feeds/open-feed.js';
import type { RawBatch } from '../../raw-feeds/raw-batch.js';
import type { SwapBuffer } from '../line-jobs.js';
import { fillOrFlush } from '../line-writer.js';
import { DisconnectCounter, mergeParts } from '../replay-raw.js';

interface ReadFeedsInput {
  readonly run: FeedReadContext;
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

/**
 * Adjacent lines of a feed in the form of slices; an empty line is a disconnect of the collector. Plain data.
 */
export interface FeedText {
  /** May be larger than the text. Threads share this memory. */
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** A buffer that grew beyond this multiple is replaced after use. */
const MAX_GROWTH = 4;

const LF = 0x0a;

/** A reusable text buffer; its memory grows to the largest text. */
export class FeedTextBuffer implements FeedText {
  bytes: Uint8Array;
  length = 0;
  readonly #size: number;

  /** @param size initial size in bytes. */
  constructor(size: number) {
    this.#size = size;
    this.bytes = sharedPageMemory(size);
  }

  /** Adds lines, each ending with LF. */
  add(lines: Uint8Array): void {
    this.#makeRoom(lines.length);
    this.bytes.set(lines, this.length);
    this.length += lines.length;
  }

  addDisconnect(): void {
    this.#makeRoom(1);
    this.bytes[this.length++] = LF;
  }

  /** Empties the buffer, and releases its memory if that is much larger than usually needed. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > MAX_GROWTH * this.#size) this.bytes = sharedPageMemory(this.#size);
  }

  #makeRoom(size: number): void {
    const needed = this.length + size;
    if (needed <= this.bytes.length) return;
    const larger = sharedPageMemory(Math.max(needed, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}
