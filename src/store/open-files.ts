import { DEFAULT_STORE_SETTINGS, type Files, type StoreSettings } from './files.js';
import { localFiles } from './folder/local-files.js';
import { isObjectLocation } from './location.js';

/**
 * Opens access to local files and objects by location. The store is not contacted before the first access.
 */
export function openFiles(settings: StoreSettings = DEFAULT_STORE_SETTINGS): Files {
  return createLocationFiles(async () => (await import('./s3/bucket-files.js')).openBucketFiles(settings));
}

/** @param openObjects called at the first access to an object. */
export function createLocationFiles(openObjects: () => Promise<Files>): Files {
  let objects: Promise<Files> | undefined;
  const filesFor = async (location: string): Promise<Files> => {
    if (!isObjectLocation(location)) return localFiles;
    objects ??= openObjects();
    return objects;
  };
  return {
    stat: async (location, signal) => (await filesFor(location)).stat(location, signal),
    read: async (location, use, signal) => (await filesFor(location)).read(location, use, signal),
    openRandom: async (location, signal) => (await filesFor(location)).openRandom(location, signal),
    openPart: async (location, part, signal, bytes) =>
      (await filesFor(location)).openPart(location, part, signal, bytes),
    remove: async (location, signal) => (await filesFor(location)).remove(location, signal),
    hasRecords: async (location, signal) => (await filesFor(location)).hasRecords(location, signal),
    async close() {
      await (await objects)?.close();
    },
  };
}
