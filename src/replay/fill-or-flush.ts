import type { TimedBatch, TimeMerge } from '../market/time-merge.js';

/** How long collected lines wait for more before they are written. */
const FLUSH_DELAY_MS = 20;

/**
 * Fills a merge. If a slow source delays that, the lines collected so far are written meanwhile.
 * @param flush writes the collected lines.
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
