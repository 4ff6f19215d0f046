import { statSync } from 'node:fs';
import { join } from 'node:path';
import { TickhaulError, usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { type ManifestOptions, openManifest } from '../manifest/manifest.js';
import type { ManifestRecord } from '../types.js';

/**
 * The records of a download folder, for a list that others will trust.
 * @throws usage error where there are none; `missing` where a file isn't there, or hasn't the recorded size.
 */
export async function lockedRecords(
  dir: string,
  options: ManifestOptions,
): Promise<readonly ManifestRecord[]> {
  const manifest = await openManifest(dir, options);
  const records = [...manifest.records()];
  await manifest.close();
  if (records.length === 0)
    throw usageError(`${dir}: nothing is downloaded here; name the folder with --dir`);
  const bad = records.filter((record) => !record.dropped && sizeOf(join(dir, record.path)) !== record.bytes);
  const [first] = bad;
  if (!first) return records;
  throw new TickhaulError(
    'missing',
    `${dir}: ${plural(bad.length, 'file')} of the manifest missing or of another size, the first is ${first.path}; run tickhaul verify --repair, or --forget where they were deleted on purpose`,
  );
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
