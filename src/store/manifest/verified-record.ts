import { VERSION } from '../../base/version.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { FileChecksums } from '../../integrity/verify-file.js';
import type { ManifestRecord } from '../manifest-record.js';
import type { ObjectVersion } from '../s3/object-store.js';

/** The record of a file that stood there already and was proven whole. @param object how it stands in a store. */
export function createVerifiedRecord(
  file: DayFile,
  path: string,
  proof: FileChecksums,
  object?: ObjectVersion,
): ManifestRecord {
  const { bytes, md5, sha256, rows } = proof;
  return {
    file,
    path,
    bytes,
    md5,
    sha256,
    md5Match: null,
    rows,
    time: new Date().toISOString(),
    version: VERSION,
    ...(object && { object }),
  };
}
