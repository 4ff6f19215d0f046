import type { FileChecksums } from '../../integrity/verify-file.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import { createVerifiedRecord } from '../../store/manifest/verified-record.js';
import type { ManifestRecord } from '../../store/manifest-record.js';
import type { ObjectVersion } from '../../store/s3/object-store.js';
import type { FileCheck, FileObservation } from '../file-check.js';

/** Records what was read whole and isn't known, or not as it stands (`--adopt`). Resolves when the record is written. */
export type Recorder = (check: FileCheck, seen: FileObservation) => Promise<void>;

export function createRecorder(manifest: Manifest): Recorder {
  /** What the manifest doesn't know yet. */
  const underWay = new Map<string, ManifestRecord>();
  return async (check, seen) => {
    const { path, record } = check;
    const known = record && (underWay.get(record.path) ?? manifest.get(record.path));
    const fresh = record ? known && withObject(known, path, toObjectVersion(seen)) : createRecord(check, seen);
    if (!fresh) return;
    underWay.set(fresh.path, fresh);
    await manifest.append(fresh);
    if (underWay.get(fresh.path) === fresh) underWay.delete(fresh.path);
  };
}

function createRecord({ kind, path, file }: FileCheck, seen: FileObservation): ManifestRecord | undefined {
  return kind === 'day' && file
    ? createVerifiedRecord(file, path, seen as FileObservation & FileChecksums, toObjectVersion(seen))
    : undefined;
}

/**
 * The record, where an object of it stands otherwise: a copy has another ETag, and what was recorded on a disk has none.
 * Undefined where nothing is new.
 */
function withObject(
  record: ManifestRecord,
  path: string,
  object: ObjectVersion | undefined,
): ManifestRecord | undefined {
  const isNew = (recorded: { readonly path: string; readonly object?: ObjectVersion | undefined }): boolean =>
    recorded.path === path && recorded.object?.etag !== object?.etag;
  if (!object) return undefined;
  if (isNew(record)) return { ...record, object };
  const { conversions = [] } = record;
  if (!conversions.some(isNew)) return undefined;
  return { ...record, conversions: conversions.map((made) => (isNew(made) ? { ...made, object } : made)) };
}

/** How an object stands that was read; undefined for a file. */
function toObjectVersion({ etag }: FileObservation): ObjectVersion | undefined {
  return etag === undefined ? undefined : { etag };
}
