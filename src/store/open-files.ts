import { DEFAULT_STORE_SETTINGS, type Files, type StoreSettings } from './files.js';
import { localFiles } from './folder/local-files.js';
import { findStore, type LoadStore } from './location.js';

/**
 * Opens access to local files and objects by location. The store is not contacted before the first access.
 */
export function openFiles(settings: StoreSettings = DEFAULT_STORE_SETTINGS): Files {
  return createLocationFiles(async (loadStore) => (await loadStore()).openFiles(settings));
}

/** @param openStore called once for each store, at the first access to one of its objects. */
export function createLocationFiles(openStore: (loadStore: LoadStore) => Promise<Files>): Files {
  const filesByStore = new Map<LoadStore, Promise<Files>>();
  const filesFor = async (location: string): Promise<Files> => {
    const loadStore = findStore(location);
    if (!loadStore) return localFiles;
    const files = filesByStore.get(loadStore) ?? openStore(loadStore);
    filesByStore.set(loadStore, files);
    return files;
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
      for (const files of filesByStore.values()) await (await files).close();
    },
  };
}
