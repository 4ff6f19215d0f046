import type { StoredObject } from '../object-store.js';

const MAX_OBJECTS_AHEAD = 16;
/** Limit of prefetched bytes. A larger object is not prefetched. */
const MAX_BYTES_AHEAD = 32 * 1024 * 1024;

/** Fetches small objects ahead of their use, in order. */
export interface Prefetch {
  /**
   * Call it for each object, in order.
   * @returns the bytes, or undefined if the object no longer exists; undefined without a promise if it is too
   * large.
   */
  next(object: StoredObject): Promise<Buffer | undefined> | undefined;
}

export function prefetchObjects(
  objects: readonly StoredObject[],
  fetch: (key: string) => Promise<Buffer | undefined>,
): Prefetch {
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
  return {
    next(object) {
      startMore();
      const fetching = fetches.get(object);
      if (fetches.delete(object)) bytes -= object.bytes;
      return fetching;
    },
  };
}
