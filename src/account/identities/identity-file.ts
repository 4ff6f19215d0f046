import { dirname } from 'node:path';
import { NO_FOLLOW, openRegular } from '../../base/disk-files.js';
import { isSystemError, toDiskError, usageError } from '../../base/errors.js';
import { quoteForShell } from '../../base/file-permissions.js';
import type { Identity } from './identity.js';
import { assertPrivateFolder, assertPrivateMode, FILE_MODE } from './private-files.js';

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
