import { FeedLines } from '../../dialects/feed-lines.js';
import { planFeed } from '../../dialects/feed-plan.js';
import { MESSAGE_START, TIMESTAMP_BYTES } from '../../feeds/read/raw-line.js';
import { LineBuffer } from '../../market/lines/line-buffer.js';
import type { Exchange } from '../handover.js';
import type { FeedText } from './feed-text.js';
import type { FeedSource } from './types.js';

/** Bytes of lines that go from hand to hand at once, about. */
const LINES = 256 * 1024;
/** Memory past so many times is for few. */
const MOST_LINES = 8;

/** The buffers of one source: while one is read, the other is filled. */
export function feedLineBuffers(): LineBuffer[] {
  return [new LineBuffer(LINES), new LineBuffer(LINES)];
}

/**
 * The lines of one exchange's messages, buffer by buffer: its texts are parsed and normalized in this thread.
 * @param texts each is needed until the next is asked for.
 * @throws once all lines before were handed over: TickhaulError `corrupt` for a message that can't be normalized, of
 * which no line is given; what `texts` throws; what `exchange` throws.
 */
export async function makeFeedLines(
  source: FeedSource,
  texts: AsyncIterable<FeedText>,
  exchange: Exchange<LineBuffer>,
): Promise<void> {
  const plan = await planFeed(source);
  const lines = new FeedLines({ ...source, plan });
  let out = await exchange(undefined);
  out.clear();
  const handOver = async (): Promise<void> => {
    out = await exchange(out);
    out.clear();
    out.shrink(MOST_LINES * LINES);
  };
  try {
    for await (const { bytes, length } of texts) {
      // One string: its lines are slices of it, which are parsed where they lie.
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString();
      for (let at = 0; at < text.length; ) {
        const end = text.indexOf('\n', at);
        if (end === at) lines.disconnect(out);
        else addMessage(lines, text, at, end, out);
        at = end + 1;
        if (out.length >= LINES) await handOver();
      }
    }
  } finally {
    if (out.length > 0) await handOver();
  }
}

/** Of a message that breaks a normalizer half-way none of its lines is left. */
function addMessage(lines: FeedLines, text: string, start: number, end: number, out: LineBuffer): void {
  const { count, length } = out;
  try {
    const localTimestamp = text.slice(start, start + TIMESTAMP_BYTES);
    lines.message(localTimestamp, text.slice(start + MESSAGE_START, end), out);
  } catch (error) {
    out.count = count;
    out.length = length;
    throw error;
  }
}
