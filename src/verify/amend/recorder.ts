import type { FileChecksums } from '../../integrity/verify-file.js';
import type { StoredVersion } from '../../store/files.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import { createVerifiedRecord } from '../../store/manifest/verified-record.js';
import type { ManifestRecord } from '../../store/manifest-record.js';
import type { FileCheck, FileObservation } from '../file-check.js';

/**
 * Records verified files that the manifest lacks or records with another ETag (`--adopt`). Resolves when the record
 * is written.
 */
export type Recorder = (check: FileCheck, observation: FileObservation) => Promise<void>;

export function createRecorder(manifest: Manifest): Recorder {
  /** Records that are not in the manifest yet, by path. */
  const pending = new Map<string, ManifestRecord>();
  return async (check, observation) => {
    const { path, record } = check;
    const known = record && (pending.get(record.path) ?? manifest.get(record.path));
    const updated = record
      ? known && withObject(known, path, toStoredVersion(observation))
      : createRecord(check, observation);
    if (!updated) return;
    pending.set(updated.path, updated);
    await manifest.append(updated);
    if (pending.get(updated.path) === updated) pending.delete(updated.path);
  };
}

function createRecord(
  { kind, path, file }: FileCheck,
  observation: FileObservation,
): ManifestRecord | undefined {
  return kind === 'day' && file
    ? createVerifiedRecord(
        file,
        path,
        observation as FileObservation & FileChecksums,
        toStoredVersion(observation),
      )
    : undefined;
}

/**
 * The record with the ETag of the object that was read. A copied object has another ETag, and a record from a disk
 * has none. Undefined if nothing changes.
 */
function withObject(
  record: ManifestRecord,
  path: string,
  object: StoredVersion | undefined,
): ManifestRecord | undefined {
  const isNew = (recorded: { readonly path: string; readonly object?: StoredVersion | undefined }): boolean =>
    recorded.path === path && recorded.object?.etag !== object?.etag;
  if (!object) return undefined;
  if (isNew(record)) return { ...record, object };
  const { conversions = [] } = record;
  if (!conversions.some(isNew)) return undefined;
  return {
    ...record,
    conversions: conversions.map((conversion) =>
      isNew(conversion) ? { ...conversion, object } : conversion,
    ),
  };
}

/** Undefined for a file on disk, which has no ETag. */
function toStoredVersion({ etag }: FileObservation): StoredVersion | undefined {
  return etag === undefined ? undefined : { etag };
}
