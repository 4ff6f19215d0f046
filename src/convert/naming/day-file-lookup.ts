import { type DayFile, parseDayFileName } from '../../day-files/day-file.js';
import type { Files, StoreSettings } from '../../store/files.js';
import { absoluteLocation, parentLocation, relativeLocation } from '../../store/location.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import { createDestinationFinder } from '../../store/open-destination.js';

/** Identifies the day file at a location; undefined if neither its name nor a manifest does. */
export type FindDayFile = (location: string) => Promise<DayFile | undefined>;

/** Identifies day files by the manifest of the destination that contains them. */
export function createRecordLookup(
  files: Files,
  store: StoreSettings | undefined,
  signal: AbortSignal,
): FindDayFile {
  const find = createDestinationFinder(files, signal);
  const manifests = new Map<string, Promise<Manifest>>();

  const findInManifest = async (dir: string, location: string): Promise<DayFile | undefined> => {
    const path = relativeLocation(dir, location);
    if (path === undefined) return undefined;
    const reading = manifests.get(dir) ?? readManifest(dir, store, signal);
    manifests.set(dir, reading);
    return (await reading).get(path)?.file;
  };

  return async (path) => {
    const location = absoluteLocation(path);
    // Try the manifests that are open: in a store, each folder that is searched costs a request.
    for (const dir of manifests.keys()) {
      const file = await findInManifest(dir, location);
      if (file) return file;
    }
    const folder = parentLocation(location);
    const dir = folder === undefined ? undefined : await find(folder);
    return dir === undefined ? undefined : findInManifest(dir, location);
  };
}

/** Identifies day files by their names, otherwise by the manifest of the destination that contains them. */
export function createDayFileLookup(
  files: Files,
  store: StoreSettings | undefined,
  signal: AbortSignal,
): FindDayFile {
  const findRecord = createRecordLookup(files, store, signal);
  return async (location) => parseDayFileName(location) ?? (await findRecord(location));
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
