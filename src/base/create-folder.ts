import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemError } from './errors.js';
import { pathExists } from './path-exists.js';

/**
 * Creates a folder and its parents. Node's recursive `mkdir` never returns below a folder such as /proc,
 * where every attempt fails with ENOENT.
 */
export async function createFolder(path: string): Promise<void> {
  if (await createMissing(path)) return;
  await createFolder(dirname(path));
  await mkdir(path).catch((error: unknown) => {
    // Another run has just created it.
    if (!isSystemError(error) || error.code !== 'EEXIST') throw error;
  });
}

/** @returns whether the folder exists now; false if its parent is missing. */
async function createMissing(path: string): Promise<boolean> {
  // Usually it exists, and a failing mkdir costs ten times as much as this check.
  if (await pathExists(path)) return true;
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (error.code === 'EEXIST') return true;
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error;
    return false;
  }
}
