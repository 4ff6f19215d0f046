import { DEFAULT_STORE_SETTINGS, type Files, type StoreSettings } from './files.js';
import { localFiles } from './folder/local-files.js';
import { isObjectLocation } from './location.js';

/** Files of this machine, and objects of stores, each by its location; a store is reached when the first is asked for. */
export function openFiles(settings: StoreSettings = DEFAULT_STORE_SETTINGS): Files {
  return createLocationFiles(async () => (await import('./s3/open-bucket.js')).openBucketFiles(settings));
}

/** @param openObjects called once, when the first object is asked for. */
export function createLocationFiles(openObjects: () => Promise<Files>): Files {
  let objects: Promise<Files> | undefined;
  const of = async (location: string): Promise<Files> => {
    if (!isObjectLocation(location)) return localFiles;
    objects ??= openObjects();
    return objects;
  };
  return {
    stat: async (location, signal) => (await of(location)).stat(location, signal),
    read: async (location, use, signal) => (await of(location)).read(location, use, signal),
    openRandom: async (location, signal) => (await of(location)).openRandom(location, signal),
    openPart: async (location, part, signal, bytes) =>
      (await of(location)).openPart(location, part, signal, bytes),
    remove: async (location, signal) => (await of(location)).remove(location, signal),
    hasManifest: async (location, signal) => (await of(location)).hasManifest(location, signal),
    close: async () => (await objects)?.close(),
  };
}
