import { findOutputFormat, withoutOutputExtension } from '../base/output-format-names.js';
import { DAY_FILE_EXTENSION, type DayFile, parseDayFileName } from '../dataset/day-file.js';
import { dayFileName } from '../dataset/layout.js';
import type { StoreSettings } from '../store/files.js';
import { absoluteLocation } from '../store/location.js';
import { openDestination } from '../store/open-destination.js';
import type { DownloadFolder } from './download-folders.js';

/**
 * Finds the day files of which a conversion exists, by its name or by the manifest of its download folder.
 * @param roots folders to search.
 * @returns whether a day file has one.
 */
export async function findConversions(
  roots: Iterable<string>,
  folders: readonly DownloadFolder[],
  store: StoreSettings | undefined,
  signal: AbortSignal,
): Promise<(file: DayFile) => boolean> {
  const locations = new Set<string>();
  const names = new Set<string>();
  for (const root of roots) {
    const destination = await openDestination(root, store, signal);
    try {
      for await (const page of destination.list('', signal)) {
        for (const { path } of page) {
          if (findOutputFormat(path) === undefined) continue;
          locations.add(absoluteLocation(destination.locate(path)));
          const file = parseDayFileName(`${withoutOutputExtension(path)}${DAY_FILE_EXTENSION}`);
          if (file) names.add(dayFileName(file));
        }
      }
    } finally {
      await destination.close();
    }
  }
  for (const { destination } of locations.size > 0 ? folders : []) {
    for (const { file, conversions = [] } of (await destination.readRecords({ warn: () => {}, signal })) ??
      [])
      if (conversions.some(({ path }) => locations.has(absoluteLocation(destination.locate(path)))))
        names.add(dayFileName(file));
  }
  return (file) => names.has(dayFileName(file));
}
