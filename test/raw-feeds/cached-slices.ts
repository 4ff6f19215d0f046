import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { formatMinute } from '../../src/day-files/day.js';
import {
  createFeedReadContext,
  type FeedReadContext,
  type FeedReadOptions,
} from '../../src/raw-feeds/feed-read-context.js';
import { filterKeys } from '../../src/raw-feeds/open-feed.js';
import type { FeedPart } from '../../src/raw-feeds/slice-prefetcher.js';
import { readSliceIndex, slicePath } from '../../src/raw-feeds/slices/slice-index.js';
import { seededRandom } from '../../src/sandbox/simulation/seeded-random.js';
import { createServiceClient } from '../../src/service/service-client.js';
import { cleanUp } from '../helpers/clean-up.js';
import { tempDir } from '../helpers/temp.js';
import { START } from './replaying.js';

export const MINUTES = 9;
const [KEY = ''] = filterKeys([]);

/** Text that is decompressed in other threads: its slice is large enough. */
function createText(minute: number): string {
  const random = seededRandom('slice', minute);
  const time = formatMinute(minute);
  return Array.from({ length: 1500 }, () => `${time}:00.1234567Z [${random.next()},${random.next()}]\n`).join(
    '',
  );
}

/** Slices of one minute each, in a cache folder. */
export interface CachedSlices {
  readonly texts: readonly string[];
  readonly files: readonly string[];
  /** Memory of a slice: its text and its compressed bytes; at most. */
  readonly sliceBytes: number;
  /** Opens them in another run, without a service. */
  open(
    options: Partial<FeedReadOptions>,
  ): Promise<{ readonly run: FeedReadContext; readonly part: FeedPart }>;
}

export async function cacheSlices(t: TestContext): Promise<CachedSlices> {
  const folder = await tempDir(t);
  const url = 'http://127.0.0.1:9';
  const client = createServiceClient({ apiUrl: url, datasetsUrl: url, stallTimeoutMs: 1000, env: {} });
  cleanUp(t, () => client.close());
  const minutes = Array.from({ length: MINUTES }, (_, i) => START + i);
  const texts = minutes.map(createText);
  const files = minutes.map((start) =>
    join(folder, 'feeds', slicePath('bitmex', KEY, { start, end: start + 1 }, 'gzip')),
  );
  let sliceBytes = 0;
  for (const [i, file] of files.entries()) {
    const bytes = gzipSync(texts[i] ?? '');
    sliceBytes = Math.max(sliceBytes, bytes.length + (texts[i]?.length ?? 0));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  return {
    texts,
    files,
    sliceBytes,
    async open(options) {
      const run = createFeedReadContext({
        ...{ client, cacheFolder: folder, cacheLimit: undefined, offline: true, concurrency: 'auto' },
        ...{ retries: 0, maxWaitMs: 0, emit: () => {}, signal: new AbortController().signal },
        ...options,
      });
      const range = { start: START, end: START + MINUTES };
      const index = await readSliceIndex(run.cache.feeds, 'bitmex', [KEY], range);
      const part = { exchange: 'bitmex', filters: undefined, key: KEY, range, index, partCount: 1 };
      return { run, part };
    },
  };
}
