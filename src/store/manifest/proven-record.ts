import { VERSION } from '../../base/version.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { Proof } from '../../integrity/proof.js';
import type { ManifestRecord } from '../types.js';

/** The record of a file that stood on disk already and was proven whole. */
export function provenRecord(file: DayFile, path: string, proof: Proof): ManifestRecord {
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
  };
}
