import type { TimedBatch, TimeMerge } from '../market/time-merge.js';

/** Milliseconds that lines wait for others, to be written in one piece. */
const FLUSH_DELAY_MS = 20;

/**
 * Fills a merge. Lines that are there don't wait for those that a slow source has yet to give.
 * @param flush writes what is gathered.
 * @throws what an input throws; what `flush` throws.
 */
export async function fillOrFlush<B extends TimedBatch>(
  merge: TimeMerge<B>,
  flush: () => Promise<void>,
): Promise<boolean> {
  const filling = merge.fill();
  let patience: NodeJS.Timeout | undefined;
  const isSlow = new Promise<boolean>((resolve) => {
    patience = setTimeout(resolve, FLUSH_DELAY_MS, true);
  });
  try {
    if (await Promise.race([filling.then(() => false), isSlow])) await flush();
  } finally {
    clearTimeout(patience);
  }
  return filling;
}
