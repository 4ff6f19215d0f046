import { chmod, mkdir, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';
import { createFolder, NO_FOLLOW, openRegular } from '../base/disk-files.js';
import { isSystemError, toDiskError, usageError } from '../base/errors.js';
import { quoteForShell } from '../base/file-permissions.js';
import type { Identity } from './identity.js';

/**
 * Reads a stored identity; undefined if the file does not exist.
 * @throws usage error for a damaged file or one that others may read; TickhaulError `disk`.
 */
export async function readIdentity(path: string): Promise<Identity | undefined> {
  const text = await readPrivate(path);
  if (text === undefined) return undefined;
  const identity = parseIdentity(text);
  if (identity) return identity;
  throw usageError(
    `${path}: the identity is damaged; remove it (rm ${quoteForShell(path)}) and sign in again`,
  );
}

/** Formats an identity as the text that `readIdentity` reads (`docs/spec/account-api.md#stored-identities`). */
export function formatIdentity({ issuer, api, email, assertion, refreshToken }: Identity): string {
  return `${JSON.stringify({ issuer, api, email, assertion, refreshToken })}\n`;
}

async function readPrivate(path: string): Promise<string | undefined> {
  try {
    // A link could lead to another user's file.
    const file = await openRegular(path, NO_FOLLOW);
    try {
      await assertPrivateFolder(dirname(path));
      assertPrivateMode((await file.stat()).mode, path, FILE_MODE);
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw toDiskError(error, path, 'disk');
  }
}

function parseIdentity(text: string): Identity | undefined {
  try {
    const { issuer, api, email, assertion, refreshToken } = JSON.parse(text) as Record<
      keyof Identity,
      unknown
    >;
    const fields = [issuer, email, assertion, refreshToken];
    if (!fields.every((field) => typeof field === 'string' && field !== '')) return undefined;
    if (api !== undefined && typeof api !== 'string') return undefined;
    return { issuer, api, email, assertion, refreshToken } as Identity;
  } catch {
    return undefined;
  }
}

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
async function assertPrivateFolder(folder: string): Promise<void> {
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
function assertPrivateMode(mode: number, path: string, privateMode: number): void {
  // Windows protects files with access control lists, which the mode does not show.
  if (platform() === 'win32' || (mode & 0o077) === 0) return;
  const shownMode = (mode & 0o777).toString(8).padStart(4, '0');
  throw usageError(
    `${path}: others may read your credentials (mode ${shownMode}); correct it with: chmod ${privateMode.toString(8)} ${quoteForShell(path)}`,
  );
}
