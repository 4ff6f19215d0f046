import type { Destination } from './destination.js';
import { DEFAULT_STORE_SETTINGS, type Files, type StoreSettings } from './files.js';
import { openFolderDestination } from './folder/folder-destination.js';
import { assertKnownScheme, isObjectLocation, parentLocation } from './location.js';

/**
 * Opens the download folder that the user named: a local folder, or a prefix of an object store.
 * @throws usage error for any other URL; for an object store, as `openBucketDestination`.
 */
export async function openDestination(
  name: string,
  settings: StoreSettings = DEFAULT_STORE_SETTINGS,
  signal?: AbortSignal,
): Promise<Destination> {
  assertKnownScheme(name);
  if (!isObjectLocation(name)) return openFolderDestination(name, settings);
  const { openBucketDestination } = await import('./s3/bucket-destination.js');
  return openBucketDestination(name, settings, signal);
}

/**
 * Finds the nearest folder or prefix with a manifest, from the given one upwards; undefined if there is none.
 */
export type FindDestination = (folder: string) => Promise<string | undefined>;

/** What is wrong with a folder or prefix in which a command finds nothing to read. */
export const NOTHING_KNOWN = 'no day files and no manifest';

/** Finds the destination that contains given files, and caches the results. */
export function createDestinationFinder(files: Files, signal?: AbortSignal): FindDestination {
  const resultsByFolder = new Map<string, Promise<string | undefined>>();
  const search: FindDestination = async (folder) => {
    if (await files.hasRecords(folder, signal)) return folder;
    const parent = parentLocation(folder);
    return parent === undefined ? undefined : find(parent);
  };
  const find: FindDestination = (folder) => {
    const result = resultsByFolder.get(folder) ?? search(folder);
    resultsByFolder.set(folder, result);
    return result;
  };
  return find;
}
