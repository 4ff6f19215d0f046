import pLimit from 'p-limit';
import type { FileLookup } from '../destination.js';
import { LineStore } from '../manifest/line-store.js';
import type { DataPrefix } from './data-prefix.js';

const CONCURRENT_LISTINGS = 8;

/** Lists what begins with one of some prefixes, so that questions about it are answered at once. */
export async function createBucketLookup(
  place: DataPrefix,
  prefixes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<FileLookup> {
  // There may be millions.
  const found = new LineStore();
  const limit = pLimit(CONCURRENT_LISTINGS);
  await Promise.all(
    prefixes.map((prefix) =>
      limit(async () => {
        for await (const page of place.list(prefix, signal))
          for (const { path, bytes, etag } of page) found.set(path, `${bytes} ${etag}`);
      }),
    ),
  );
  return {
    has: (path) => found.has(path),
    get(path) {
      const line = found.get(path);
      if (line === undefined) return undefined;
      const [bytes, etag] = line.split(' ', 2);
      return { bytes: Number(bytes), etag };
    },
  };
}
