import { FeedLines } from '../../exchange-adapters/feed-lines.js';
import { planFeed } from '../../exchange-adapters/feed-plan.js';
import { LineBuffer } from '../../market/lines/line-buffer.js';
import { MESSAGE_START, TIMESTAMP_BYTES } from '../../raw-feeds/raw-batch.js';
import type { SwapBuffer } from '../line-jobs.js';
import type { FeedSource } from './open-feed-sources.js';
import type { FeedText } from './read-feeds.js';

/** A buffer that grew beyond this multiple is shrunk after use. */
const MAX_BUFFER_GROWTH = 8;
/** Approximate size of the text that is decoded at once; V8 frees larger strings at a higher cost. */
const PIECE_BYTES = 32 * 1024;
const LF = 0x0a;

/**
 * The two buffers of one source: one is read while the other is filled.
 * @param bytes approximate size of the lines in each.
 */
export function createFeedLineBuffers(bytes: number): LineBuffer[] {
  return [new LineBuffer(bytes), new LineBuffer(bytes)];
}

/**
 * Parses and normalizes one exchange's text in this thread, and writes the lines, buffer by buffer.
 * @param texts each one is used until the next one is requested.
 * @param bufferBytes approximate size of one handed-over buffer of lines.
 * @param warn called for messages of an unknown form, which are left out.
 * @throws after all earlier lines were handed over: TickhaulError `corrupt` for a message that cannot be
 * normalized, of which no line is written; what `texts` and `swap` throw.
 */
export async function writeFeedLines(
  source: FeedSource,
  texts: AsyncIterable<FeedText>,
  swap: SwapBuffer<LineBuffer>,
  bufferBytes: number,
  warn: (message: string) => void,
): Promise<void> {
  const plan = await planFeed(source);
  const lines = new FeedLines({ ...source, plan, warn });
  // A full buffer would have to grow for the next message.
  const maxLineBytes = 0.75 * bufferBytes;
  let out = await swap(undefined);
  out.clear();
  /** False if the reader has stopped: the buffer that it got last is not ours any more. */
  let isRead = true;
  const handOver = async (): Promise<void> => {
    isRead = false;
    out = await swap(out);
    isRead = true;
    out.clear();
    out.shrink(MAX_BUFFER_GROWTH * bufferBytes);
  };
  try {
    for await (const { bytes, length } of texts) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, length);
      for (let from = 0; from < length; ) {
        const to = buffer.indexOf(LF, Math.min(from + PIECE_BYTES, length) - 1) + 1;
        // Lines are slices of this string and are parsed without copies.
        const text = buffer.toString('utf8', from, to);
        from = to;
        for (let at = 0; at < text.length; ) {
          const end = text.indexOf('\n', at);
          if (end === at) lines.addDisconnect(out);
          else addMessage(lines, text, at, end, out);
          at = end + 1;
          if (out.length >= maxLineBytes) await handOver();
        }
      }
      // The next text may take long to arrive.
      if (out.length > 0) await handOver();
    }
  } finally {
    lines.finish();
    if (isRead && out.length > 0) await handOver();
  }
}

/** Removes the partial output of a message whose normalizer throws. */
function addMessage(lines: FeedLines, text: string, start: number, end: number, out: LineBuffer): void {
  const { count, length } = out;
  try {
    const localTimestamp = text.slice(start, start + TIMESTAMP_BYTES);
    lines.addMessage(localTimestamp, text.slice(start + MESSAGE_START, end), out);
  } catch (error) {
    out.count = count;
    out.length = length;
    throw error;
  }
}
