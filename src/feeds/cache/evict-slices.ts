import { rm, stat } from 'node:fs/promises';
import { walkSlices } from './walk-slices.js';

/** Of the limit, what is left free, so that not every slice has to look through all of them. */
const FREED_RATIO = 0.1;

/**
 * Removes the slices that were used least recently, those of other clients too, until a tenth of the limit is free.
 * @returns the bytes that are free then.
 */
export async function evictSlices(feeds: string, limit: number): Promise<number> {
  const slices: { readonly path: string; readonly bytes: number; readonly usedMs: number }[] = [];
  let total = 0;
  for await (const path of walkSlices(feeds)) {
    // Another process may remove it meanwhile.
    const stats = await stat(path).catch(() => undefined);
    if (!stats) continue;
    slices.push({ path, bytes: stats.size, usedMs: Math.max(stats.atimeMs, stats.mtimeMs) });
    total += stats.size;
  }
  if (total > limit) {
    slices.sort((a, b) => a.usedMs - b.usedMs);
    for (const { path, bytes } of slices) {
      if (total <= limit * (1 - FREED_RATIO)) break;
      await rm(path, { force: true });
      total -= bytes;
    }
  }
  return Math.max(0, limit - total);
}
