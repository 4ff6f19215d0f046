import { stat } from 'node:fs/promises';
import { toDiskError } from '../../base/errors.js';
import { walkSlices } from './walk-slices.js';

export interface CacheSize {
  readonly slices: number;
  readonly bytes: number;
}

/** Counts the slices of a cache and their bytes on disk. @throws TickhaulError `disk`. */
export async function measureSlices(feeds: string): Promise<CacheSize> {
  let slices = 0;
  let bytes = 0;
  try {
    for await (const path of walkSlices(feeds)) {
      // Another process may have removed the file.
      const stats = await stat(path).catch(() => undefined);
      if (!stats) continue;
      slices++;
      bytes += stats.size;
    }
  } catch (error) {
    throw toDiskError(error, feeds);
  }
  return { slices, bytes };
}
