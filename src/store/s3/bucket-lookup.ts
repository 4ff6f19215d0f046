import { Semaphore } from '../../base/semaphore.js';
import type { FileLookup } from '../destination.js';
import { LineStore } from '../manifest/line-store.js';
import type { DataPrefix } from './data-prefix.js';

const CONCURRENT_LISTINGS = 8;

/** Lists all objects under some prefixes, so that lookups are answered from memory. */
export async function createBucketLookup(
  data: DataPrefix,
  prefixes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<FileLookup> {
  // There may be millions, so store them as lines outside the heap.
  const linesByPath = new LineStore();
  const listings = new Semaphore(CONCURRENT_LISTINGS);
  await Promise.all(
    prefixes.map((prefix) =>
      listings.run(async () => {
        for await (const page of data.list(prefix, signal))
          for (const { path, bytes, etag } of page) linesByPath.set(path, `${bytes} ${etag}`);
      }),
    ),
  );
  return {
    has: (path) => linesByPath.has(path),
    get(path) {
      const line = linesByPath.get(path);
      if (line === undefined) return undefined;
      const [bytes, etag] = line.split(' ', 2);
      return { bytes: Number(bytes), etag };
    },
  };
}
