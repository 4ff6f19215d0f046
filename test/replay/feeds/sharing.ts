import { SymbolShares } from '../../../src/dialects/symbol-shares.js';
import { LineBuffer, type TimedLines } from '../../../src/market/lines/line-buffer.js';
import type { FeedSource } from '../../../src/replay/feeds/feed-source.js';
import { type FeedText, FeedTextBuffer } from '../../../src/replay/feeds/feed-text.js';
import { mergeShares } from '../../../src/replay/feeds/merge-shares.js';
import { ShareTracker } from '../../../src/replay/feeds/share-tracker.js';
import { writeFeedLines } from '../../../src/replay/feeds/write-feed-lines.js';
import { createHandover } from '../../../src/replay/handover.js';
import type { TransferredLines } from '../../../src/replay/threads/send-lines.js';

const BUFFER_BYTES = 256 * 1024;

export interface ReaderOutput {
  readonly text: string;
  readonly error: unknown;
}

/** Lines of one reader of a feed. @param texts whole lines without local times. */
export function readWithOneReader(source: FeedSource, texts: readonly string[]): Promise<ReaderOutput> {
  return collectOutput(
    createHandover(smallBuffers(), (exchange) =>
      writeFeedLines(source, toFeedTexts(texts), exchange, BUFFER_BYTES),
    ),
  );
}

/** Lines of several readers, in this thread. */
export function readWithSeveralReaders(
  source: FeedSource,
  texts: readonly string[],
  most: number,
): Promise<ReaderOutput> {
  const shares = new SymbolShares(source.exchange, source.symbols, most);
  const readers = Array.from({ length: shares.count }, (_, index) => reader(source, texts, shares, index));
  return collectOutput(
    createHandover(smallBuffers(), (exchange) => mergeShares(readers, exchange, BUFFER_BYTES)),
  );
}

async function* reader(
  source: FeedSource,
  texts: readonly string[],
  shares: SymbolShares,
  index: number,
): AsyncGenerator<TransferredLines, void, undefined> {
  const share = new ShareTracker(index, shares);
  const places = new Map<LineBuffer, Float64Array>();
  const buffers = createHandover(smallBuffers(), (exchange) =>
    writeFeedLines(
      source,
      toFeedTexts(texts, shares),
      (full) => {
        if (full) places.set(full, share.copyPositions(full));
        return exchange(full);
      },
      BUFFER_BYTES,
      share,
    ),
  );
  for await (const lines of buffers) {
    const { count, bytes, ends, localTimestamps } = lines;
    yield { count, bytes, ends, localTimestamps, positions: places.get(lines) };
  }
}

async function* toFeedTexts(
  texts: readonly string[],
  shares?: SymbolShares,
): AsyncGenerator<FeedText, void, undefined> {
  for (const text of texts) {
    const buffer = new FeedTextBuffer(BUFFER_BYTES);
    const bytes = Buffer.from(text);
    buffer.add(bytes);
    if (shares) {
      for (let at = 0; at < bytes.length; at = bytes.indexOf('\n', at) + 1) {
        buffer.addShare(shares.findLineShare(bytes, at, bytes.indexOf('\n', at)));
      }
    }
    yield buffer;
  }
}

/** Grows with use. */
function smallBuffers(): LineBuffer[] {
  return [new LineBuffer(16), new LineBuffer(16)];
}

async function collectOutput(batches: AsyncIterable<TimedLines>): Promise<ReaderOutput> {
  const parts: Buffer[] = [];
  let error: unknown;
  try {
    for await (const { bytes, ends, count } of batches)
      parts.push(Buffer.from(bytes.subarray(0, ends[count - 1])));
  } catch (thrown) {
    error = thrown;
  }
  return { text: Buffer.concat(parts).toString(), error };
}
