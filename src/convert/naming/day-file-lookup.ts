import type { DayFile } from '../../dataset/day-file.js';
import { parseDayFileName } from '../../dataset/parse-day-file-name.js';
import type { Files, StoreSettings } from '../../store/files.js';
import { createDestinationFinder } from '../../store/find-destination.js';
import { absoluteLocation, parentLocation, relativeLocation } from '../../store/location.js';
import type { Manifest } from '../../store/manifest/manifest.js';

/** Asked for a location: which day file it is; undefined where nothing tells it. */
export type FindDayFile = (location: string) => Promise<DayFile | undefined>;

/** Tells day files by their names, and else by the manifest of the download folder or prefix that they lie in. */
export function createDayFileLookup(
  files: Files,
  store: StoreSettings | undefined,
  signal: AbortSignal,
): FindDayFile {
  const find = createDestinationFinder(files, signal);
  const manifests = new Map<string, Promise<Manifest>>();

  const recordedIn = async (dir: string, location: string): Promise<DayFile | undefined> => {
    const path = relativeLocation(dir, location);
    if (path === undefined) return undefined;
    const reading = manifests.get(dir) ?? readManifest(dir, store, signal);
    manifests.set(dir, reading);
    return (await reading).get(path)?.file;
  };

  const recorded: FindDayFile = async (location) => {
    // In a store, each folder that is looked at costs a request.
    for (const dir of manifests.keys()) {
      const file = await recordedIn(dir, location);
      if (file) return file;
    }
    const folder = parentLocation(location);
    const dir = folder === undefined ? undefined : await find(folder);
    return dir === undefined ? undefined : recordedIn(dir, location);
  };

  return async (location) => parseDayFileName(location) ?? (await recorded(absoluteLocation(location)));
}

async function readManifest(
  dir: string,
  store: StoreSettings | undefined,
  signal: AbortSignal,
): Promise<Manifest> {
  const { openDestination } = await import('../../store/open-destination.js');
  const destination = await openDestination(dir, store, signal);
  try {
    const manifest = await destination.openManifest({ warn: () => {}, signal });
    await manifest.close();
    return manifest;
  } finally {
    await destination.close();
  }
}
