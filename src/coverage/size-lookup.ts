import { OUTPUT_EXTENSIONS } from '../base/output-format-names.js';
import type { FileLookup } from '../store/destination.js';
import type { ManifestRecord } from '../store/manifest-record.js';

/**
 * Creates a function that returns the bytes of a record's files on disk: the day file and its recorded conversions,
 * or if none of them exists, a file that `tickhaul convert` wrote beside the day file; undefined if there is none. It
 * returns recorded sizes; only `tickhaul verify` checks that files are complete.
 */
export function createSizeLookup(files: FileLookup): (record: ManifestRecord) => number | undefined {
  const findConvertedFile = (path: string): number | undefined => {
    const stem = path.replace(/\.csv\.gz$/, '');
    const converted = OUTPUT_EXTENSIONS.map((extension) => `${stem}.${extension}`).find(files.has);
    return converted === undefined ? undefined : files.get(converted)?.bytes;
  };
  return (record) => {
    const existing = [record, ...(record.conversions ?? [])].filter(({ path }) => files.has(path));
    return existing.length === 0
      ? findConvertedFile(record.path)
      : existing.reduce((sum, { bytes }) => sum + bytes, 0);
  };
}
