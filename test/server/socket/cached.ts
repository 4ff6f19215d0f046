import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { formatMinute } from '../../../src/day-files/day.js';
import { canonicalizeFilters, filterKeys } from '../../../src/raw-feeds/open-feed.js';
import { slicePath } from '../../../src/raw-feeds/slices/slice-index.js';
import type { FeedFilter } from '../../../src/service/feed-filter.js';
import { START } from '../../raw-feeds/replaying.js';

/** Messages per cached minute; together a megabyte. */
export const MESSAGES_PER_MINUTE = 250;

/**
 * Writes minutes of long messages `{"minute":0,…}` of one channel to a cache folder, from midnight of 2024-03-01.
 */
export async function fillCache(
  folder: string,
  exchange: string,
  channel: string,
  minutes: number,
): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    const message = JSON.stringify({ minute, data: 'x'.repeat(4000) });
    const line = `${formatMinute(START + minute)}:00.0000000Z ${message}\n`;
    await writeCachedMinute(folder, exchange, [{ channel }], line.repeat(MESSAGES_PER_MINUTE), minute);
  }
}

/** Writes the text of a minute to a cache folder, counted from midnight of 2024-03-01. */
export async function writeCachedMinute(
  folder: string,
  exchange: string,
  filters: readonly FeedFilter[],
  text: string,
  minute = 0,
): Promise<void> {
  const [key = ''] = filterKeys(canonicalizeFilters(filters));
  const start = START + minute;
  const path = join(folder, 'feeds', slicePath(exchange, key, { start, end: start + 1 }, 'gzip'));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, gzipSync(text, { level: 1 }));
}
