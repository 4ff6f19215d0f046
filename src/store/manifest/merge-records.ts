import type { FileLookup } from '../destination.js';
import type { StoredVersion } from '../files.js';
import type { ConversionEntry, ManifestRecord } from '../manifest-record.js';

/** The fields of a record or conversion that describe the stored file. */
interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  readonly md5?: string | undefined;
  readonly object?: StoredVersion | undefined;
}

/** Determines the version of a stored object. @param known records of the same bytes, from any folder. */
export type ResolveObject = (file: StoredFile, known: readonly StoredFile[]) => StoredVersion | undefined;

/** For local folders, whose files have no ETag. */
export const resolveNoObject: ResolveObject = () => undefined;

/**
 * Resolves versions from a listing. The ETag of an object counts only if a record has it, or if it is the MD5
 * of the recorded bytes, as for an object that was put in one piece. The contents of any other object are
 * unknown.
 */
export function createObjectResolver(lookup: FileLookup): ResolveObject {
  return ({ path, bytes, md5 }, known) => {
    const { etag, bytes: storedBytes } = lookup.get(path) ?? {};
    if (etag === undefined || storedBytes !== bytes) return undefined;
    const recorded = known.find(({ object }) => object?.etag === etag)?.object;
    return recorded ?? (etag === md5 ? { etag } : undefined);
  };
}

/** Merges records of the same bytes: the newest one's fields, and the conversions of all. */
export function mergeRecords(
  records: readonly ManifestRecord[],
  resolveObject: ResolveObject,
): ManifestRecord {
  const inOrder = records.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  const { conversions: _, object: __, dropped: ___, ...facts } = inOrder.at(-1) as ManifestRecord;
  const entriesByPath = new Map<string, readonly ConversionEntry[]>();
  for (const { conversions = [] } of inOrder)
    for (const entry of conversions)
      entriesByPath.set(entry.path, [...(entriesByPath.get(entry.path) ?? []), entry]);
  const conversions = [...entriesByPath.values()].map((entries) => {
    const { object: _, ...entry } = entries.at(-1) as ConversionEntry;
    return { ...entry, ...objectField(resolveObject(entry, entries)) };
  });
  return {
    ...facts,
    ...(conversions.length > 0 && { conversions }),
    ...objectField(resolveObject(facts, inOrder)),
    ...(inOrder.every(({ dropped }) => dropped) && { dropped: true }),
  };
}

function objectField(object: StoredVersion | undefined): { readonly object?: StoredVersion } {
  return object ? { object } : {};
}
