import pLimit from 'p-limit';
import type { Survey } from '../destination.js';
import { LineStore } from '../manifest/line-store.js';
import type { DataPrefix } from './data-prefix.js';

const LISTS_AT_ONCE = 8;

/** Lists what begins with one of some prefixes, so that questions about it are answered at once. */
export async function surveyBucket(
  place: DataPrefix,
  prefixes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Survey> {
  // There may be millions.
  const found = new LineStore();
  const limit = pLimit(LISTS_AT_ONCE);
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
    facts(path) {
      const line = found.get(path);
      if (line === undefined) return undefined;
      const [bytes, etag] = line.split(' ', 2);
      return { bytes: Number(bytes), etag };
    },
  };
}
