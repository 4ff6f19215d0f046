import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../../base/errors.js';

const SLICE = /\.json\.(?:gz|zst)$/;

/**
 * Paths of all slices below a folder, in any order; none if the folder does not exist. Links are not
 * followed.
 */
export async function* walkSlices(folder: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* walkSlices(path);
      else if (entry.isFile() && SLICE.test(entry.name)) yield path;
    }
  } catch (error) {
    // Another process may clear the cache at the same time.
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
}
