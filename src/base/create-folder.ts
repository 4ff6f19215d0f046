import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSystemError } from './errors.js';

/**
 * Makes a folder and those above it. Node's own recursive way never returns below a folder such as /proc, where
 * nothing can be made and all that is asked for is said to be missing.
 */
export async function createFolder(path: string): Promise<void> {
  if (await make(path)) return;
  await createFolder(dirname(path));
  await mkdir(path).catch((error: unknown) => {
    // Another run was quicker.
    if (!isSystemError(error) || error.code !== 'EEXIST') throw error;
  });
}

/** Whether the folder is there now; false where one above it is missing. */
async function make(path: string): Promise<boolean> {
  // Mostly it is: a call that fails costs ten times as much.
  if (await isThere(path)) return true;
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

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
