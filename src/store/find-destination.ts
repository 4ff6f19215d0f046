import type { Files } from './files.js';
import { parentLocation } from './location.js';

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
