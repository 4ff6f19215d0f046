import { chmod, mkdir, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { createFolder } from '../../base/disk-files.js';
import { isSystemError, toDiskError, usageError } from '../../base/errors.js';
import { quoteForShell } from '../../base/file-permissions.js';

const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/**
 * Creates a folder that only this user can read.
 * @throws usage error if it exists and others may read it; TickhaulError `disk`.
 */
export async function createPrivateFolder(folder: string): Promise<void> {
  try {
    await createFolder(join(folder, '..'));
    await mkdir(folder, { mode: FOLDER_MODE });
    // The umask may have removed permissions of this user, too.
    await chmod(folder, FOLDER_MODE);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'EEXIST') throw toDiskError(error, folder, 'disk');
    await assertPrivateFolder(folder);
  }
}

/** @throws usage error if others may read the folder; TickhaulError `disk`. */
export async function assertPrivateFolder(folder: string): Promise<void> {
  try {
    // For a link, check its target: the mode of the link itself is open to all and chmod cannot change it.
    assertPrivateMode((await stat(folder)).mode, folder, FOLDER_MODE);
  } catch (error) {
    throw toDiskError(error, folder, 'disk');
  }
}

/**
 * Checks that others may not read a file or folder.
 * @param mode actual mode. @param privateMode mode that the error's command sets.
 * @throws usage error with the command that corrects the mode.
 */
export function assertPrivateMode(mode: number, path: string, privateMode: number): void {
  // Windows protects files with access control lists, which the mode does not show.
  if (platform() === 'win32' || (mode & 0o077) === 0) return;
  const shownMode = (mode & 0o777).toString(8).padStart(4, '0');
  throw usageError(
    `${path}: others may read your credentials (mode ${shownMode}); correct it with: chmod ${privateMode.toString(8)} ${quoteForShell(path)}`,
  );
}
