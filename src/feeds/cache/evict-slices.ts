import { rm, stat } from 'node:fs/promises';
import { walkSlices } from './walk-slices.js';

/** Share of the limit to free, so that the cache is not scanned for every new slice. */
const FREED_RATIO = 0.1;

/**
 * If the cache is above its limit, removes the least recently used slices, also those of other clients, until
 * a tenth of the limit is free.
 * @returns bytes below the limit afterwards.
 */
export async function evictSlices(feeds: string, limit: number): Promise<number> {
  const slices: { readonly path: string; readonly bytes: number; readonly usedMs: number }[] = [];
  let total = 0;
  for await (const path of walkSlices(feeds)) {
    // Another process may have removed the file.
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
