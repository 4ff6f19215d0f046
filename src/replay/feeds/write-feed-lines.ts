import { FeedLines } from '../../dialects/feed-lines.js';
import { planFeed } from '../../dialects/feed-plan.js';
import { MESSAGE_START, TIMESTAMP_BYTES } from '../../feeds/read/raw-line.js';
import { LineBuffer } from '../../market/lines/line-buffer.js';
import type { SwapBuffer } from '../handover.js';
import type { FeedSource } from './feed-source.js';
import type { FeedText } from './feed-text.js';
import type { ShareTracker } from './share-tracker.js';

/** Memory past so many times is for few. */
const MAX_BUFFER_GROWTH = 8;

/** The buffers of one source: while one is read, the other is filled. @param bytes of lines in each, about. */
export function createFeedLineBuffers(bytes: number): LineBuffer[] {
  return [new LineBuffer(bytes), new LineBuffer(bytes)];
}

/**
 * The lines of one exchange's messages, buffer by buffer: its texts are parsed and normalized in this thread.
 * @param texts each is needed until the next is asked for.
 * @param bufferBytes of lines that go from hand to hand at once, about.
 * @param share where others read the feed too: which messages are read here. A buffer is then given behind each text.
 * @throws once all lines before were handed over: TickhaulError `createCorruptError` for a message that can't be normalized, of
 * which no line is given; MixedMessage for one that isn't of one share; what `texts` throws; what `sendHttpRequest` throws.
 */
export async function writeFeedLines(
  source: FeedSource,
  texts: AsyncIterable<FeedText>,
  exchange: SwapBuffer<LineBuffer>,
  bufferBytes: number,
  share?: ShareTracker,
): Promise<void> {
  const plan = await planFeed(source);
  const lines = new FeedLines({ ...source, plan, isOurs: share && ((message) => share.isOurs(message)) });
  // A buffer that is full to its end would grow for the message behind.
  const most = 0.75 * bufferBytes;
  let out = await exchange(undefined);
  out.clear();
  const handOver = async (): Promise<void> => {
    out = await exchange(out);
    out.clear();
    out.shrink(MAX_BUFFER_GROWTH * bufferBytes);
  };
  try {
    for await (const { bytes, length, shares } of texts) {
      // One string: its lines are slices of it, which are parsed where they lie.
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString();
      let passed: number | undefined;
      const passLast = (): void => {
        if (passed !== undefined) lines.pass(readLineTime(text, passed));
        passed = undefined;
      };
      for (let at = 0, line = 0; at < text.length; line++) {
        const end = text.indexOf('\n', at);
        const before = out.count;
        if (end === at) {
          passLast();
          addBreak(lines, out, share);
        } else if (share?.isOthers(shares?.[line])) {
          passed = at;
          if (lines.hasMoreSegments) passLast();
        } else {
          passed = undefined;
          addMessage(lines, text, at, end, out);
        }
        share?.endLine(out, before);
        at = end + 1;
        if (out.length >= most) await handOver();
      }
      passLast();
      // The next text may take long to come.
      if (out.length > 0 || share) await handOver();
    }
  } finally {
    if (out.length > 0 || share) await handOver();
  }
}

/** All readers of a feed know of a break, and one of them tells it. */
function addBreak(lines: FeedLines, out: LineBuffer, share: ShareTracker | undefined): void {
  const { count, length } = out;
  lines.disconnect(out);
  if (share === undefined || share.tellsBreaks) return;
  out.count = count;
  out.length = length;
}

/** Of a message that breaks a normalizer half-way none of its lines is left. */
function addMessage(lines: FeedLines, text: string, start: number, end: number, out: LineBuffer): void {
  const { count, length } = out;
  try {
    lines.message(readLineTime(text, start), text.slice(start + MESSAGE_START, end), out);
  } catch (error) {
    out.count = count;
    out.length = length;
    throw error;
  }
}

function readLineTime(text: string, start: number): string {
  return text.slice(start, start + TIMESTAMP_BYTES);
}
