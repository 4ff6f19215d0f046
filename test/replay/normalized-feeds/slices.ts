import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { MS_PER_MINUTE, US_PER_MINUTE } from '../../../src/day-files/day.js';
import { planFeed } from '../../../src/exchange-adapters/feed-plan.js';
import { canonicalizeFilters, filterKeys } from '../../../src/raw-feeds/open-feed.js';
import { slicePath } from '../../../src/raw-feeds/slices/slice-index.js';
import type { FeedSource } from '../../../src/replay/normalized-feeds/open-feed-sources.js';

/** A local timestamp with the exchange's message, or a disconnect. */
export type FeedEvent = readonly [localTimestamp: string, message: unknown] | 'break';

/** A local time in the first minutes of 2024-03-01. */
export const at = (seconds: number): string =>
  `2024-03-01T00:${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}.1234567Z`;

/** A BitMEX trade at a time. */
export const bitmexTrade = (seconds: number, price: number, symbol = 'XBTUSD'): FeedEvent => {
  const data = [{ timestamp: at(seconds), symbol, side: 'Sell', size: 1, price, trdMatchID: 'a' }];
  return [at(seconds), { table: 'trade', action: 'insert', data }];
};

/**
 * Writes events to a cache as a source's whole period: one slice a minute, with disconnects after the event
 * before them. A message given as text is not changed.
 */
export async function writeSlices(
  cacheFolder: string,
  source: FeedSource,
  events: readonly FeedEvent[],
): Promise<void> {
  const { segments } = await planFeed(source);
  for (const { start, end, filters } of segments) {
    const [key = ''] = filterKeys(canonicalizeFilters(filters));
    for (let minute = start / US_PER_MINUTE; minute < end / US_PER_MINUTE; minute++) {
      const path = slicePath(source.exchange, key, { start: minute, end: minute + 1 }, 'gzip');
      const file = join(cacheFolder, 'feeds', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, gzipSync(formatSliceText(events, minute)));
    }
  }
}

function formatSliceText(events: readonly FeedEvent[], minute: number): string {
  const wanted = new Date(minute * MS_PER_MINUTE).toISOString().slice(0, 16);
  let isWithin = false;
  const lines = events.flatMap((event) => {
    if (event !== 'break') isWithin = event[0].startsWith(wanted);
    if (!isWithin) return [];
    if (event === 'break') return ['\n'];
    const [localTimestamp, message] = event;
    return [`${localTimestamp} ${typeof message === 'string' ? message : JSON.stringify(message)}\n`];
  });
  return lines.join('');
}
