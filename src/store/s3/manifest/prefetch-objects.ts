import type { StoredObject } from '../object-store.js';

const MAX_OBJECTS_AHEAD = 16;
/** Bytes that are fetched ahead; an object of more is none of them. */
const MAX_BYTES_AHEAD = 32 * 1024 * 1024;

/** Small objects that are read in order, and fetched before their turn. */
export interface Prefetch {
  /**
   * To be asked for each object, in order.
   * @returns its bytes, undefined where it isn't there any more; undefined at once for one that is too large.
   */
  next(object: StoredObject): Promise<Buffer | undefined> | undefined;
}

export function prefetchObjects(
  objects: readonly StoredObject[],
  fetch: (key: string) => Promise<Buffer | undefined>,
): Prefetch {
  const begun = new Map<StoredObject, Promise<Buffer | undefined>>();
  let at = 0;
  let bytes = 0;
  const beginMore = (): void => {
    for (let next = objects[at]; next && begun.size < MAX_OBJECTS_AHEAD; next = objects[at]) {
      const isLarge = next.bytes > MAX_BYTES_AHEAD;
      if (!isLarge && bytes + next.bytes > MAX_BYTES_AHEAD) break;
      at++;
      if (isLarge) continue;
      const fetching = fetch(next.key);
      // It is awaited in its turn, which never comes when one before it fails.
      fetching.catch(() => undefined);
      begun.set(next, fetching);
      bytes += next.bytes;
    }
  };
  return {
    next(object) {
      beginMore();
      const fetching = begun.get(object);
      if (begun.delete(object)) bytes -= object.bytes;
      return fetching;
    },
  };
}
