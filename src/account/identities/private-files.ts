import { chmod, mkdir, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { createFolder } from '../../base/create-folder.js';
import { isSystemError, toDiskError, usageError } from '../../base/errors.js';

export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/**
 * Makes a folder for this user's eyes only.
 * @throws usage error where it is there and others may look into it; TickhaulError `disk`.
 */
export async function createPrivateFolder(folder: string): Promise<void> {
  try {
    await createFolder(join(folder, '..'));
    await mkdir(folder, { mode: FOLDER_MODE });
    // The umask may have taken away more than others' permissions.
    await chmod(folder, FOLDER_MODE);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'EEXIST') throw toDiskError(error, folder, 'disk');
    await assertPrivateFolder(folder);
  }
}

/** @throws usage error where others may look into the folder; TickhaulError `disk`. */
export async function assertPrivateFolder(folder: string): Promise<void> {
  try {
    // Of a link the folder behind it counts: a link's own mode is wide, and no chmod changes it.
    assertPrivateMode((await stat(folder)).mode, folder, FOLDER_MODE);
  } catch (error) {
    throw toDiskError(error, folder, 'disk');
  }
}

/**
 * Refuses what others may read, with the command that mends it.
 * @param found the mode it has. @param wanted the mode it should have.
 */
export function assertPrivateMode(found: number, path: string, wanted: number): void {
  // Windows keeps others out in its own way, which a mode doesn't show.
  if (platform() === 'win32' || (found & 0o077) === 0) return;
  const mode = (found & 0o777).toString(8).padStart(4, '0');
  throw usageError(
    `${path}: others may read it (mode ${mode}), and it holds what signs you in; mend it with: chmod ${wanted.toString(8)} ${quoteForShell(path)}`,
  );
}

/** A path as a word of a shell. */
export function quoteForShell(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
