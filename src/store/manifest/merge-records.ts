import type { FileLookup } from '../destination.js';
import type { ConversionEntry, ManifestRecord } from '../manifest-record.js';
import type { ObjectVersion } from '../s3/object-store.js';

/** What of a record or of an entry tells how it stands. */
interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  readonly md5?: string | undefined;
  readonly object?: ObjectVersion | undefined;
}

/** How a file stands where records are merged into. @param known records of these bytes, from anywhere. */
export type ResolveObject = (file: StoredFile, known: readonly StoredFile[]) => ObjectVersion | undefined;

/** Files have no ETag. */
export const resolveNoObject: ResolveObject = () => undefined;

/**
 * The ETag of an object is known where it is the one that a record has, or the MD5 of the recorded bytes, as of an
 * object that was put there in one piece. Of others nobody knows yet what they hold.
 */
export function createObjectResolver(survey: FileLookup): ResolveObject {
  return ({ path, bytes, md5 }, known) => {
    const { etag, bytes: found } = survey.get(path) ?? {};
    if (etag === undefined || found !== bytes) return undefined;
    const recorded = known.find(({ object }) => object?.etag === etag)?.object;
    return recorded ?? (etag === md5 ? { etag } : undefined);
  };
}

/** One record of those of the same bytes: the newest one's facts, and what was made of them anywhere. */
export function mergeRecords(records: readonly ManifestRecord[], objectOf: ResolveObject): ManifestRecord {
  const inOrder = records.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  const { conversions: _, object: __, dropped: ___, ...facts } = inOrder.at(-1) as ManifestRecord;
  const made = new Map<string, readonly ConversionEntry[]>();
  for (const { conversions = [] } of inOrder)
    for (const entry of conversions) made.set(entry.path, [...(made.get(entry.path) ?? []), entry]);
  const conversions = [...made.values()].map((entries) => {
    const { object: _, ...entry } = entries.at(-1) as ConversionEntry;
    return { ...entry, ...stored(objectOf(entry, entries)) };
  });
  return {
    ...facts,
    ...(conversions.length > 0 && { conversions }),
    ...stored(objectOf(facts, inOrder)),
    ...(inOrder.every(({ dropped }) => dropped) && { dropped: true }),
  };
}

function stored(object: ObjectVersion | undefined): { readonly object?: ObjectVersion } {
  return object ? { object } : {};
}
