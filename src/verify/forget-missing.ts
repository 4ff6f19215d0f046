import type { FileEvent } from '../events/run-events.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { BadFile } from './file-checks.js';

/**
 * Removes missing files from the manifest (`--forget`). A day file that still has conversions is marked as dropped;
 * one of which nothing is left counts as never downloaded.
 * @throws TickhaulError `disk`.
 */
export async function forgetMissing(
  missing: readonly BadFile[],
  manifest: Manifest,
  emit: (event: FileEvent) => void,
): Promise<void> {
  const forget = async (path: string, files: readonly BadFile[]): Promise<void> => {
    const missingPaths = new Set(files.map(({ event }) => event.path));
    const record = manifest.get(path);
    if (record) {
      const conversions = record.conversions?.filter((conversion) => !missingPaths.has(conversion.path));
      await manifest.append({ ...record, conversions, ...(missingPaths.has(path) && { dropped: true }) });
    }
    for (const { event } of files) emit({ ...event, status: 'forgotten', error: undefined });
  };
  // All at once, so that the manifest writes many records together.
  const forgetting = Promise.all([...groupByDayFile(missing)].map(([path, files]) => forget(path, files)));
  // No later record follows that would flush a store's records.
  await Promise.all([forgetting, manifest.flush()]);
}

/** Groups bad files by the path of their day file, since files of the same day file are repaired together. */
export function groupByDayFile(bad: readonly BadFile[]): ReadonlyMap<string, readonly BadFile[]> {
  const groups = new Map<string, BadFile[]>();
  for (const file of bad) {
    const group = groups.get(file.record.path);
    if (group) group.push(file);
    else groups.set(file.record.path, [file]);
  }
  return groups;
}
