import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';
import { createFolder, NO_FOLLOW, openRegular, quoteForShell, writeWhole } from '../base/disk-files.js';
import { isSystemError, TickhaulError, toDiskError, usageError } from '../base/errors.js';
import type { VerifiedIdentity } from '../service/issuer.js';
import {
  type AcquireLockOptions,
  acquireRunLock,
  type LockOwner,
  type RunLock,
} from '../store/lock/run-lock.js';
import { assertMadeFor, type Identity } from './identity.js';

/** Longer than the lifetime of an abandoned lock. */
const LOCK_TIMEOUT_MS = 150_000;

interface IdentityStoreOptions {
  /** The user's config folder of tickhaul; identities are stored in its folder `identities`. */
  readonly configDir: string;
  /** Address of the API that the identities are used for. */
  readonly api: string;
  /** Identifies this process in the lock. */
  readonly owner: Omit<LockOwner, 'now'>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Stored identities, one file each, readable by this user only (`docs/spec/account-api.md#stored-identities`). Every
 * method throws TickhaulError `disk`, and a usage error for a file that is damaged or that others may read; `read` and
 * `update` throw TickhaulError `not_signed_in` for an identity of another API.
 */
export interface IdentityStore {
  /** Origin of the API that the identities are used for. */
  readonly api: string;
  read(issuer: string, email: string): Promise<Identity | undefined>;
  /** All identities, also of other APIs. */
  list(): Promise<readonly Identity[]>;
  /** Checks that an identity can be stored. Call it before sign-in, so that a sign-in is not wasted. */
  prepare(issuer: string, email: string): Promise<void>;
  /**
   * Replaces one identity under a lock across processes; other identities are not locked. `replace` gets the stored
   * identity and returns the one to store, or the same for no change. If it throws, nothing changes.
   * @throws TickhaulError `locked`; errors of `replace`.
   */
  update(
    issuer: string,
    email: string,
    replace: (current: Identity | undefined) => Promise<VerifiedIdentity>,
  ): Promise<Identity>;
  /**
   * Removes the identities that match the test; without a test, removes all of them, including damaged files.
   * @param onUnreadable called for each file that cannot be read and is therefore skipped.
   * @returns the number of removed identities.
   */
  remove(
    test?: (identity: Identity) => boolean,
    onUnreadable?: (error: TickhaulError) => void,
  ): Promise<number>;
}

/** Opens the store without touching the disk. */
export function openIdentityStore({
  configDir,
  api: address,
  owner,
  signal,
}: IdentityStoreOptions): IdentityStore {
  const folder = join(configDir, 'identities');
  const api = new URL(address).origin;
  const readOwn = async (path: string): Promise<Identity | undefined> => {
    const identity = await readIdentity(path);
    return identity && assertMadeFor(api, identity);
  };

  /** Runs work on one file under a lock across processes. */
  const runLocked = async <T>(
    name: string,
    work: (path: string) => Promise<T>,
    timeoutMs = LOCK_TIMEOUT_MS,
  ): Promise<T> => {
    await createPrivateFolder(folder);
    const holder = { ...owner, now: Date.now() };
    const lock = await lockIdentity(folder, holder, { timeoutMs, signal, name });
    try {
      // Temporary files are written under the lock, so these remain from a crash.
      await removeFiles(folder, (other) => other !== name && identityFileName(other) === name);
      return await work(join(folder, name));
    } finally {
      await lock.release();
    }
  };

  return {
    api,
    list: async () => {
      const names = (await listNames(folder)).filter((name) => identityFileName(name) === name);
      const identities = await Promise.all(names.map((name) => readIdentity(join(folder, name))));
      return identities.filter((identity) => identity !== undefined);
    },
    read: (issuer, email) => readOwn(join(folder, createFileName(issuer, email))),
    prepare: (issuer, email) => runLocked(createFileName(issuer, email), assertWritable),
    update: (issuer, email, replace) =>
      runLocked(createFileName(issuer, email), async (path) => {
        const current = await readOwn(path);
        await assertWritable(path);
        const { assertion, refreshToken } = await replace(current);
        if (assertion === current?.assertion && refreshToken === current.refreshToken) return current;
        const identity = { issuer, api, email, assertion, refreshToken };
        await writePrivate(path, formatIdentity(identity));
        return identity;
      }),
    remove: async (test, onUnreadable = () => {}) => {
      const names = new Set((await listNames(folder)).flatMap((name) => identityFileName(name) ?? []));
      if (names.size > 0) await createPrivateFolder(folder);
      const matches = async (path: string): Promise<boolean> => {
        if (test === undefined) return true;
        const identity = await readIdentity(path).catch((error: unknown) => {
          if (!(error instanceof TickhaulError)) throw error;
          onUnreadable(error);
        });
        return identity !== undefined && test(identity);
      };
      const removals = [...names].map(async (name) => {
        if (await matches(join(folder, name))) {
          return runLocked(name, () => removeFiles(folder, (other) => other === name));
        }
        // A temporary file of a crash may contain the secrets of any identity; taking the lock removes it. If the
        // identity is locked, its owner still uses the temporary file.
        await runLocked(name, async () => {}, 0).catch(rethrowUnlessLocked);
        return 0;
      });
      return sumRemovals(await Promise.allSettled(removals));
    },
  };
}

/** A hash is a valid name on every file system; the file itself contains issuer and e-mail. */
function createFileName(issuer: string, email: string): string {
  const name = createHash('sha256').update(`${issuer}\n${email.toLowerCase()}`).digest('hex');
  return `${name}.json`;
}

/** Name of the identity file for a file or its temporary file; undefined for other names. */
function identityFileName(name: string): string | undefined {
  return /^(.+?\.json)(\..+)?$/.exec(name)?.[1];
}

/** Sums the removals after all are done. @throws the error of the first failed one. */
function sumRemovals(removals: readonly PromiseSettledResult<number>[]): number {
  return removals.reduce((sum, removal) => {
    if (removal.status === 'rejected') throw removal.reason;
    return sum + removal.value;
  }, 0);
}

/** Larger than a usual identity. */
const PROBE_BYTES = 8 * 1024;

/**
 * Checks that an identity can be written, before its refresh token is sent, which is used up then.
 * @throws TickhaulError `disk` for a full or read-only disk.
 */
async function assertWritable(path: string): Promise<void> {
  const probe = `${path}.probe`;
  await writePrivate(probe, ' '.repeat(PROBE_BYTES));
  await rm(probe, { force: true });
}

function writePrivate(path: string, text: string): Promise<void> {
  // A link could lead to another user's file.
  return writeWhole(path, [text], { mode: FILE_MODE, followsLinks: false });
}

async function lockIdentity(
  folder: string,
  owner: LockOwner,
  { name, ...options }: AcquireLockOptions & { readonly name: string },
): Promise<RunLock> {
  try {
    return await acquireRunLock(folder, owner, { ...options, name: `${name}.lock` });
  } catch (error) {
    rethrowUnlessLocked(error);
    throw new TickhaulError(
      'locked',
      `${join(folder, name)}: another process has locked this identity; try again later`,
    );
  }
}

/** @throws the error, unless its code is `locked`. */
function rethrowUnlessLocked(error: unknown): void {
  if (!(error instanceof TickhaulError) || error.code !== 'locked') throw error;
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw toDiskError(error, folder, 'disk');
  }
}

async function removeFiles(folder: string, test: (name: string) => boolean): Promise<number> {
  const names = (await listNames(folder)).filter(test);
  for (const name of names) {
    await rm(join(folder, name), { force: true }).catch((error: unknown) => {
      throw toDiskError(error, join(folder, name), 'disk');
    });
  }
  return names.length;
}

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
function formatIdentity({ issuer, api, email, assertion, refreshToken }: Identity): string {
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
const FILE_MODE = 0o600;

/**
 * Creates a folder that only this user can read.
 * @throws usage error if it exists and others may read it; TickhaulError `disk`.
 */
async function createPrivateFolder(folder: string): Promise<void> {
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
