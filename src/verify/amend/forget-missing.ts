import type { FileEvent } from '../../run/run-events.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { BadFile } from '../file-check.js';
import { groupByDayFile } from './group-by-day-file.js';

/**
 * Takes files that are missing out of the manifest (`--forget`): a day file whose conversions are there counts as
 * dropped from then on, one of which nothing is left is as never downloaded.
 * @throws TickhaulError `disk`.
 */
export async function forgetMissing(
  missing: readonly BadFile[],
  manifest: Manifest,
  tell: (event: FileEvent) => void,
): Promise<void> {
  const forget = async (path: string, files: readonly BadFile[]): Promise<void> => {
    const gone = new Set(files.map(({ event }) => event.path));
    const record = manifest.get(path);
    if (record) {
      const conversions = record.conversions?.filter((made) => !gone.has(made.path));
      await manifest.append({ ...record, conversions, ...(gone.has(path) && { dropped: true }) });
    }
    for (const { event } of files) tell({ ...event, status: 'forgotten', error: undefined });
  };
  // Side by side, so that the manifest writes many at once.
  const forgotten = Promise.all([...groupByDayFile(missing)].map(([path, files]) => forget(path, files)));
  // Nothing more comes that a store's records could go out with.
  await Promise.all([forgotten, manifest.flush()]);
}
