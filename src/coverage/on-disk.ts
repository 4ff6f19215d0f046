import { readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { diskError, isSystemError } from '../base/errors.js';
import type { Survey } from '../store/destination.js';
import type { ManifestRecord } from '../store/types.js';

/** What `convert` may have made beside a day file, and left in its place. */
const CONVERTED = ['parquet', 'ndjson', 'ndjson.gz', 'ndjson.zst'];

/**
 * Tells how many bytes of a record are there: the day file and what a download made of it; where none of them is left,
 * what a conversion by hand put beside it. Undefined for nothing. Sizes are the recorded ones: whether a file is whole
 * is for `verify` to say.
 */
export function createSizes(survey: Survey): (record: ManifestRecord) => number | undefined {
  const madeByHand = (path: string): number | undefined => {
    const stem = path.replace(/\.csv\.gz$/, '');
    const made = CONVERTED.map((extension) => `${stem}.${extension}`).find(survey.has);
    return made === undefined ? undefined : survey.facts(made)?.bytes;
  };
  return (record) => {
    const found = [record, ...(record.conversions ?? [])].filter(({ path }) => survey.has(path));
    return found.length === 0 ? madeByHand(record.path) : found.reduce((sum, { bytes }) => sum + bytes, 0);
  };
}

/** Lists each folder once, in whatever order it is asked about: records of a day may be anywhere. */
export function surveyFolders(dir: string): Survey {
  const folders = new Map<string, ReadonlySet<string>>();
  return {
    has(path) {
      const folder = posix.dirname(path);
      let names = folders.get(folder);
      if (names === undefined) {
        names = listNames(posix.join(dir, folder));
        folders.set(folder, names);
      }
      return names.has(posix.basename(path));
    },
    facts(path) {
      const stats = statSync(posix.join(dir, path), { throwIfNoEntry: false });
      return stats && { bytes: stats.size };
    },
  };
}

/** Where no folder stands, nothing is there. */
const NO_FOLDER = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** @throws TickhaulError `disk` for a folder that can't be read. */
function listNames(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch (error) {
    if (isSystemError(error) && NO_FOLDER.has(error.code)) return new Set();
    throw diskError(error, folder, 'disk');
  }
}
