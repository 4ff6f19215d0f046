import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../../base/errors.js';

const SLICE = /\.json\.(?:gz|zst)$/;

/** Paths of all slices below a folder, in no order; none where there is no folder. Links are not followed. */
export async function* walkSlices(folder: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* walkSlices(path);
      else if (entry.isFile() && SLICE.test(entry.name)) yield path;
    }
  } catch (error) {
    // Another process may empty the cache meanwhile.
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
}
