import { TickhaulError, usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import type { Destination } from '../destination.js';
import type { ManifestOptions } from '../manifest/manifest.js';
import { findDifference, type ManifestRecord } from '../manifest-record.js';

/**
 * Reads the records of a download folder for a lock file or checksum list.
 * @throws usage error if there are none; `missing` if a file does not exist or differs from its record.
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
    throw usageError(`${name}: nothing is downloaded here; set the folder with --dir`);
  const lookup = await destination.openLookup(undefined, options.signal);
  const bad = records.filter(
    (record) => !record.dropped && findDifference(record, lookup.get(record.path)) !== undefined,
  );
  const [first] = bad;
  if (!first) return records;
  throw new TickhaulError(
    'missing',
    `${name}: ${plural(bad.length, 'file')} of the manifest missing or ${destination.hasLocalPaths ? 'of another size' : 'overwritten'}, the first is ${first.path}; run tickhaul verify with --repair, or with --forget if they were deleted on purpose`,
  );
}
