import { VERSION } from '../../base/version.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { Proof } from '../../integrity/proof.js';
import type { StoredAs } from '../s3/object-store.js';
import type { ManifestRecord } from '../types.js';

/** The record of a file that stood there already and was proven whole. @param object how it stands in a store. */
export function provenRecord(file: DayFile, path: string, proof: Proof, object?: StoredAs): ManifestRecord {
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
