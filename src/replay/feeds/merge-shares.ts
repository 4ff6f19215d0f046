import type { LineBuffer, TimedLines } from '../../market/lines/line-buffer.js';
import { type TimedBatch, TimeMerge } from '../../market/time-merge.js';
import type { SwapBuffer } from '../handover.js';
import type { TransferredLines } from '../threads/send-lines.js';

/** Lines by their places in the feed, as an input of a merge; the last place has no line. */
interface PositionedLines extends TimedBatch {
  readonly lines: TimedLines;
}

/**
 * Puts the lines that several readers made of one feed into the order that one reader would have given them. Each place
 * is only one reader's; behind the lines of a buffer stands how far its reader is, so that what comes later, an error
 * too, comes in its turn.
 * @param bufferBytes of lines that go from hand to hand at once, about.
 * @throws what `shares` throw, once all lines before were handed over; what `sendHttpRequest` throws.
 */
export async function mergeShares(
  shares: readonly AsyncIterable<TransferredLines>[],
  exchange: SwapBuffer<LineBuffer>,
  bufferBytes: number,
): Promise<void> {
  const merge = new TimeMerge<PositionedLines>(shares.map(withPositions));
  let out = await exchange(undefined);
  out.clear();
  const handOver = async (): Promise<void> => {
    out = await exchange(out);
    out.clear();
  };
  try {
    while (await merge.fill()) {
      while (merge.next()) {
        const { batch, start, end } = merge;
        const behind = Math.min(end, batch.lines.count);
        if (start < behind) out.copy(batch.lines, start, behind);
        if (out.length >= bufferBytes) await handOver();
      }
    }
  } finally {
    if (out.length > 0) await handOver();
  }
}

async function* withPositions(
  share: AsyncIterable<TransferredLines>,
): AsyncGenerator<PositionedLines, void, undefined> {
  for await (const lines of share) {
    const { places } = lines;
    if (!places) throw new Error('lines of a share without their places');
    yield { count: places.length, localTimestamps: places, lines };
  }
}
