import { dirname } from 'node:path';
import { isSystemError, toDiskError, usageError } from '../../base/errors.js';
import { openRegular } from '../../base/open-regular.js';
import { NO_FOLLOW } from '../../store/no-follow.js';
import type { Identity } from './identity.js';
import { assertPrivateFolder, assertPrivateMode, FILE_MODE, quoteForShell } from './private-files.js';

/**
 * Reads a stored identity; undefined where there is none.
 * @throws usage error for a file that others may read, or one that is damaged; TickhaulError `disk`.
 */
export async function readIdentity(path: string): Promise<Identity | undefined> {
  const text = await readPrivate(path);
  if (text === undefined) return undefined;
  const identity = parseIdentity(text);
  if (identity) return identity;
  throw usageError(`${path}: a damaged identity; remove it (rm ${quoteForShell(path)}) and sign in again`);
}

/** The text that `readIdentity` reads. */
export function formatIdentity({ issuer, email, assertion, refreshToken }: Identity): string {
  return `${JSON.stringify({ issuer, email, assertion, refreshToken })}\n`;
}

async function readPrivate(path: string): Promise<string | undefined> {
  try {
    // A link could lead to somebody else's file.
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
    const { issuer, email, assertion, refreshToken } = JSON.parse(text) as Record<keyof Identity, unknown>;
    const all = [issuer, email, assertion, refreshToken];
    if (!all.every((field) => typeof field === 'string' && field !== '')) return undefined;
    return { issuer, email, assertion, refreshToken } as Identity;
  } catch {
    return undefined;
  }
}
