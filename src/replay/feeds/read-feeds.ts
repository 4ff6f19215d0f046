import { ANY_SHARE, type SymbolShares } from '../../dialects/symbol-shares.js';
import type { FeedRun } from '../../feeds/feed-run.js';
import type { OpenedFeed } from '../../feeds/open-feed.js';
import type { RawBatch } from '../../feeds/read/raw-batch.js';
import { MESSAGE_START } from '../../feeds/read/raw-line.js';
import { fillOrFlush } from '../fill-or-flush.js';
import type { SwapBuffer } from '../handover.js';
import { DisconnectCounter } from '../raw/disconnect-counter.js';
import { mergeParts } from '../raw/merge-parts.js';
import type { FeedTextBuffer } from './feed-text.js';

export interface ReadFeedsInput {
  readonly run: FeedRun;
  /** Of one exchange, in order. */
  readonly feeds: readonly OpenedFeed[];
  /** Told how many minutes of the period were read. */
  readonly onMinutes: (minutes: number) => void;
  readonly stopped: AbortSignal;
  /** Bytes of text that go from hand to hand at once, unless a single line has more. */
  readonly bufferBytes: number;
  /** Where several readers share the text: whose its lines seem to be. */
  readonly shares?: SymbolShares | undefined;
}

/**
 * The text of feeds that follow each other: parts are merged by local timestamp, breaks that they share are told once.
 * @throws TickhaulError once all text before was handed over: as `readFeedPart` does.
 */
export async function readFeeds(
  { run, feeds, onMinutes, stopped, bufferBytes, shares }: ReadFeedsInput,
  exchange: SwapBuffer<FeedTextBuffer>,
): Promise<void> {
  // Readers that share a text have fewer lines of it each.
  const most = shares ? bufferBytes : bufferBytes / 2;
  let text = await exchange(undefined);
  text.clear();
  const handOver = async (least: number): Promise<void> => {
    if (text.length < least) return;
    text = await exchange(text);
    text.clear();
  };
  const readFeed = async ({ parts }: OpenedFeed): Promise<void> => {
    const tell = (minutes: number): void => onMinutes(minutes / parts.length);
    const merge = mergeParts(run, parts, tell, stopped);
    const breaks = new DisconnectCounter(parts.length);
    try {
      while (await fillOrFlush(merge, () => handOver(1))) {
        while (merge.next()) {
          const { batch, end, input } = merge;
          for (let at = merge.start; at < end; ) {
            if (batch.isBreak(at)) {
              if (breaks.isNew(input, batch.starts[at] as number)) addBreak(text, shares);
              at++;
              continue;
            }
            const until = findRunEnd(batch, at, end, bufferBytes / 2);
            text.add(batch.text.subarray(batch.starts[at], (batch.ends[until - 1] as number) + 1));
            if (shares) addShares(text, shares, batch, at, until);
            breaks.sawLine(input);
            at = until;
            await handOver(most);
          }
        }
        await handOver(most / 2);
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

/** Lines that lie end to end are copied in one go. @returns the line behind them. */
function findRunEnd({ starts, ends }: RawBatch, at: number, end: number, bytes: number): number {
  const most = (starts[at] as number) + bytes;
  let until = at + 1;
  while (until < end && starts[until] === (ends[until - 1] as number) + 1 && (ends[until] as number) < most) {
    until++;
  }
  return until;
}

function addBreak(text: FeedTextBuffer, shares: SymbolShares | undefined): void {
  text.addBreak();
  if (shares) text.addShare(ANY_SHARE);
}

function addShares(
  text: FeedTextBuffer,
  shares: SymbolShares,
  { text: from, starts, ends }: RawBatch,
  start: number,
  end: number,
): void {
  for (let line = start; line < end; line++) {
    text.addShare(shares.ofLine(from, (starts[line] as number) + MESSAGE_START, ends[line] as number));
  }
}
