import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { formatMinute } from '../../../src/dataset/minute.js';
import { slicePath } from '../../../src/feeds/cache/slice-path.js';
import { filterKeys } from '../../../src/feeds/canonical-filters.js';
import { START } from '../../feeds/replaying.js';

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
  const [key = ''] = filterKeys([{ channel }]);
  for (let minute = 0; minute < minutes; minute++) {
    const start = START + minute;
    const range = { start, end: start + 1 };
    const path = join(folder, 'feeds', slicePath(exchange, key, range, 'gzip'));
    const message = JSON.stringify({ minute, data: 'x'.repeat(4000) });
    const line = `${formatMinute(start)}:00.0000000Z ${message}\n`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, gzipSync(line.repeat(MESSAGES_PER_MINUTE), { level: 1 }));
  }
}
