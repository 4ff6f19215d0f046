import type { Manifest } from '../../store/manifest/manifest.js';
import type { StoredAs } from '../../store/s3/object-store.js';
import type { Check, Seen } from '../types.js';

/**
 * Records under which ETag an object stands that holds the recorded bytes: a copy has another one, and one that was
 * recorded on a disk has none.
 */
export async function recordObject({ path, record }: Check, seen: Seen, manifest: Manifest): Promise<void> {
  const object = objectOf(seen);
  const known = record && manifest.get(record.path);
  if (!object || !known) return;
  const isOther = (recorded: { readonly object?: StoredAs | undefined }): boolean =>
    recorded.object?.etag !== object.etag;
  if (known.path === path) {
    if (isOther(known)) await manifest.append({ ...known, object });
    return;
  }
  const { conversions = [] } = known;
  if (!conversions.some((made) => made.path === path && isOther(made))) return;
  const amended = conversions.map((made) => (made.path === path ? { ...made, object } : made));
  await manifest.append({ ...known, conversions: amended });
}

/** How an object stands that was read; undefined for a file. */
export function objectOf({ etag }: Seen): StoredAs | undefined {
  return etag === undefined ? undefined : { etag };
}
