import type { FileLookup } from '../store/destination.js';
import type { ManifestRecord } from '../store/manifest-record.js';

/** What `convertCommand` may have made beside a day file, and left in its place. */
const CONVERTED = ['parquet', 'ndjson', 'ndjson.gz', 'ndjson.zst'];

/**
 * Tells how many bytes of a record are there: the day file and what a download made of it; where none of them is left,
 * what a conversion by hand put beside it. Undefined for nothing. Sizes are the recorded ones: whether a file is whole
 * is for `verify` to say.
 */
export function createSizeLookup(survey: FileLookup): (record: ManifestRecord) => number | undefined {
  const madeByHand = (path: string): number | undefined => {
    const stem = path.replace(/\.csv\.gz$/, '');
    const made = CONVERTED.map((extension) => `${stem}.${extension}`).find(survey.has);
    return made === undefined ? undefined : survey.get(made)?.bytes;
  };
  return (record) => {
    const found = [record, ...(record.conversions ?? [])].filter(({ path }) => survey.has(path));
    return found.length === 0 ? madeByHand(record.path) : found.reduce((sum, { bytes }) => sum + bytes, 0);
  };
}
