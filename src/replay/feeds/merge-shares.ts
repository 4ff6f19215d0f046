import type { LineBuffer, TimedLines } from '../../market/lines/line-buffer.js';
import { type TimedBatch, TimeMerge } from '../../market/time-merge.js';
import type { SwapBuffer } from '../handover.js';
import type { TransferredLines } from '../threads/send-lines.js';

/** Lines with their positions in the feed, as an input of a merge; the last position has no line. */
interface PositionedLines extends TimedBatch {
  readonly lines: TimedLines;
}

/**
 * Merges the lines of several readers of one feed into the order of a single reader. A position belongs to
 * one reader only. The last position of a buffer says how far its reader is, so later lines and errors keep
 * their order.
 * @param bufferBytes approximate size of one handed-over buffer of lines.
 * @throws what `shares` throw, after all earlier lines were handed over; what `swap` throws.
 */
export async function mergeShares(
  shares: readonly AsyncIterable<TransferredLines>[],
  swap: SwapBuffer<LineBuffer>,
  bufferBytes: number,
): Promise<void> {
  const merge = new TimeMerge<PositionedLines>(shares.map(withPositions));
  let out = await swap(undefined);
  out.clear();
  const handOver = async (): Promise<void> => {
    out = await swap(out);
    out.clear();
  };
  try {
    while (await merge.fill()) {
      while (merge.next()) {
        const { batch, start, end } = merge;
        const lastLine = Math.min(end, batch.lines.count);
        if (start < lastLine) out.copy(batch.lines, start, lastLine);
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
    const { positions } = lines;
    if (!positions) throw new Error('lines of a share without positions');
    yield { count: positions.length, localTimestamps: positions, lines };
  }
}
