import { VERSION } from '../../base/version.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { FileChecksums } from '../../integrity/verify-file.js';
import type { StoredVersion } from '../files.js';
import { type ManifestRecord, markChecked } from '../manifest-record.js';

/**
 * Creates the record of an existing file that was verified.
 * @param object its version, in an object store.
 */
export function createVerifiedRecord(
  file: DayFile,
  path: string,
  checksums: FileChecksums,
  object?: StoredVersion,
): ManifestRecord {
  const { bytes, md5, sha256, rows } = checksums;
  return {
    file,
    path,
    bytes,
    md5,
    sha256,
    md5Match: null,
    rows,
    ...markChecked(sha256),
    time: new Date().toISOString(),
    version: VERSION,
    ...(object && { object }),
  };
}
