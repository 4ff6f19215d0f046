import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createFolder } from '../../base/disk-files.js';
import { isSystemError } from '../../base/errors.js';
import { UNFINISHED_EXTENSION } from './slice-path.js';

/** Number of created folders to remember; a folder holds the slices of one hour. */
const MAX_REMEMBERED_FOLDERS = 1000;

/** Writes a slice to its path atomically. */
export type SliceWriter = (file: string, bytes: Buffer) => Promise<void>;

/** Creates a writer that creates each folder only once, even if many slices need it at the same time. */
export function createSliceWriter(): SliceWriter {
  // Makes temporary names unique across processes.
  const processId = randomBytes(8).toString('hex');
  let count = 0;
  const folders = new Map<string, Promise<void>>();

  const ensureFolder = (folder: string): Promise<void> => {
    const known = folders.get(folder);
    if (known) return known;
    if (folders.size >= MAX_REMEMBERED_FOLDERS) folders.clear();
    const creation = createFolder(folder);
    folders.set(folder, creation);
    return creation;
  };
  const writeSlice = async (file: string, bytes: Buffer, attempts: number): Promise<void> => {
    const folder = dirname(file);
    const unfinished = `${file.replace(/\.[a-z]+$/, '')}${processId}${count++}${UNFINISHED_EXTENSION}`;
    try {
      await ensureFolder(folder);
      await writeFile(unfinished, bytes, { flag: 'wx' });
      await rename(unfinished, file);
    } catch (error) {
      folders.delete(folder);
      await rm(unfinished, { force: true }).catch(() => {});
      // Another process may clear the cache at any time.
      const shouldRetry = isSystemError(error) && error.code === 'ENOENT' && attempts > 1;
      if (!shouldRetry) throw error;
      await writeSlice(file, bytes, attempts - 1);
    }
  };
  return (file, bytes) => writeSlice(file, bytes, 3);
}
