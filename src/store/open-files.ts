import { usageError } from '../base/errors.js';
import type { Files, StoreSettings } from './files.js';
import { localFiles } from './folder/local-files.js';
import { isObject } from './location.js';

/** Files of this machine, and objects of stores, each by its location; a store is reached when the first is asked for. */
export function openFiles(_settings: StoreSettings): Files {
  const of = async (location: string): Promise<Files> => {
    if (isObject(location)) throw usageError('s3://… is not supported; name a file of this machine');
    return localFiles;
  };
  return {
    look: async (location, signal) => (await of(location)).look(location, signal),
    read: async (location, use, signal) => (await of(location)).read(location, use, signal),
    openRandom: async (location, signal) => (await of(location)).openRandom(location, signal),
    openPart: async (location, part, signal, bytes) =>
      (await of(location)).openPart(location, part, signal, bytes),
    remove: async (location) => (await of(location)).remove(location),
    async close() {},
  };
}
