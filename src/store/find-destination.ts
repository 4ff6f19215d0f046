import type { Files } from './files.js';
import { parentLocation } from './location.js';

/** Asked for a folder or prefix: the nearest one with a manifest, from that one up; undefined where none has one. */
export type FindDestination = (folder: string) => Promise<string | undefined>;

/** Finds which destination files lie in; what was found is remembered. */
export function createDestinationFinder(files: Files, signal?: AbortSignal): FindDestination {
  const known = new Map<string, Promise<string | undefined>>();
  const search: FindDestination = async (folder) => {
    if (await files.hasManifest(folder, signal)) return folder;
    const parent = parentLocation(folder);
    return parent === undefined ? undefined : find(parent);
  };
  const find: FindDestination = (folder) => {
    const found = known.get(folder) ?? search(folder);
    known.set(folder, found);
    return found;
  };
  return find;
}
