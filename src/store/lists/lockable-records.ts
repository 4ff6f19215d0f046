import { TickhaulError, usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import type { Destination } from '../destination.js';
import type { StoredFileInfo } from '../files.js';
import type { ManifestOptions } from '../manifest/manifest.js';
import type { ManifestRecord } from '../manifest-record.js';

/**
 * The records of a download folder, for a list that others will trust.
 * @throws usage error where there are none; `missing` where a file isn't there, or hasn't the recorded size.
 */
export async function readLockableRecords(
  destination: Destination,
  options: ManifestOptions,
): Promise<readonly ManifestRecord[]> {
  const { name } = destination;
  const manifest = await destination.openManifest(options);
  const records = [...manifest.records()];
  await manifest.close();
  if (records.length === 0)
    throw usageError(`${name}: nothing is downloaded here; name the folder with --dir`);
  const survey = await destination.openLookup(undefined, options.signal);
  const bad = records.filter((record) => !record.dropped && !isAsRecorded(record, survey.get(record.path)));
  const [first] = bad;
  if (!first) return records;
  throw new TickhaulError(
    'missing',
    `${name}: ${plural(bad.length, 'file')} of the manifest missing or ${destination.kind === 'folder' ? 'of another size' : 'written since by others'}, the first is ${first.path}; run tickhaul verify --repair, or --forget where they were deleted on purpose`,
  );
}

/** Of an object, the ETag tells as well: other bytes may have the same size. */
function isAsRecorded({ bytes, object }: ManifestRecord, there: StoredFileInfo | undefined): boolean {
  return there?.bytes === bytes && (object === undefined || object.etag === there.etag);
}
