import { setMaxListeners } from 'node:events';
import { describeSkippedLines, LineReader } from '../../manifest/manifest-line.js';
import { undefinedIfMissing } from '../../read-write-at.js';
import type { StoredObject } from '../object-store.js';
import { isBase, type ManifestLocation, type NamedObject } from './manifest-objects.js';
import { type NewestRecords, parseBaseHeader } from './newest-records.js';

/**
 * Reads the records of some objects, in the given order.
 * @param warn receives messages about skipped lines.
 * @returns objects that have been removed meanwhile.
 */
export async function readObjects<T extends NamedObject>(
  { store }: ManifestLocation,
  objects: readonly T[],
  into: NewestRecords,
  warn: (message: string) => void,
  signal: AbortSignal | undefined,
): Promise<readonly T[]> {
  const removed: T[] = [];
  const done = new AbortController();
  const eitherSignal = signal ? AbortSignal.any([signal, done.signal]) : done.signal;
  // Many concurrent requests listen to this signal.
  setMaxListeners(0, eitherSignal);
  const fetchNext = prefetchObjects(objects, (key) => store.getWhole(key, eitherSignal));
  try {
    for (const object of objects) {
      const hasHeader = isBase(object.name);
      const reader = new LineReader((line, number) =>
        hasHeader && number === 1 && parseBaseHeader(line) ? undefined : into.addLine(line),
      );
      const fetching = fetchNext(object);
      const chunks = fetching ? [await fetching] : store.get(object.key, undefined, eitherSignal);
      if (!(await undefinedIfMissing(addChunks(chunks, reader)))) removed.push(object);
      reader.end();
      for (const message of describeSkippedLines(reader.skipped, `${store.name}/${object.key}`))
        warn(message);
    }
  } finally {
    done.abort();
  }
  return removed;
}

/** @returns false if the object does not exist. */
async function addChunks(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer | undefined>,
  reader: LineReader,
): Promise<boolean> {
  for await (const chunk of chunks) {
    if (!chunk) return false;
    reader.addChunk(chunk);
  }
  return true;
}

const MAX_OBJECTS_AHEAD = 16;
/** Limit of prefetched bytes. A larger object is not prefetched. */
const MAX_BYTES_AHEAD = 32 * 1024 * 1024;

/**
 * Fetches small objects ahead of their use.
 * @returns to be called for each object, in order. It returns the bytes, or undefined if the object no longer
 * exists; undefined without a promise if the object is too large.
 */
function prefetchObjects(
  objects: readonly StoredObject[],
  fetch: (key: string) => Promise<Buffer | undefined>,
): (object: StoredObject) => Promise<Buffer | undefined> | undefined {
  const fetches = new Map<StoredObject, Promise<Buffer | undefined>>();
  let at = 0;
  let bytes = 0;
  const startMore = (): void => {
    for (let next = objects[at]; next && fetches.size < MAX_OBJECTS_AHEAD; next = objects[at]) {
      const isLarge = next.bytes > MAX_BYTES_AHEAD;
      if (!isLarge && bytes + next.bytes > MAX_BYTES_AHEAD) break;
      at++;
      if (isLarge) continue;
      const fetching = fetch(next.key);
      // It is never awaited if an earlier object fails.
      fetching.catch(() => undefined);
      fetches.set(next, fetching);
      bytes += next.bytes;
    }
  };
  return (object) => {
    startMore();
    const fetching = fetches.get(object);
    if (fetches.delete(object)) bytes -= object.bytes;
    return fetching;
  };
}
