import { createHash, randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { diskError, isSystemError, TickhaulError } from '../../base/errors.js';
import type { VerifiedIdentity } from '../../service/account/issuer.js';
import type { LockOwner, RunLock } from '../../store/lock/run-lock.js';
import { takeLock } from '../../store/lock/take-lock.js';
import type { Identity } from './identity.js';
import { formatIdentity, readIdentity } from './identity-file.js';
import { FILE_MODE, makePrivateFolder } from './private-files.js';
import { type StagedFile, stageFile } from './staged-file.js';

/** Milliseconds: longer than a lock that nobody touches holds. */
const LOCK_TIMEOUT_MS = 150_000;

export interface IdentityStoreOptions {
  /** The user's config folder of tickhaul; identities are kept in a folder of their own in it. */
  readonly configDir: string;
  /** Who runs, for the lock. */
  readonly owner: Omit<LockOwner, 'now'>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Stored identities, a file each, for this user's eyes only. Every method throws TickhaulError `disk`, and a
 * usage error for what others may read or what is damaged.
 */
export interface IdentityStore {
  read(issuer: string, email: string): Promise<Identity | undefined>;
  list(): Promise<readonly Identity[]>;
  /** Makes sure that an identity can be stored, before anybody goes to the trouble of getting one. */
  prepare(): Promise<void>;
  /**
   * Replaces an identity while no other process can. `make` is given what is stored now, and gives what to store,
   * or the same for no change. When it throws, all stays as it was.
   * @throws TickhaulError `locked`; what `make` throws.
   */
  update(
    issuer: string,
    email: string,
    make: (current: Identity | undefined) => Promise<VerifiedIdentity>,
  ): Promise<Identity>;
  /** Forgets those that the test names; without one everything, damaged files too. @returns how many there were. */
  remove(test?: (identity: Identity) => boolean): Promise<number>;
}

export function openIdentityStore({ configDir, owner, signal }: IdentityStoreOptions): IdentityStore {
  const folder = join(configDir, 'identities');

  const pathOf = (issuer: string, email: string): string => {
    // Any host and e-mail make a name that every file system takes; who they are stands in the file.
    const name = createHash('sha256').update(`${issuer}\n${email.toLowerCase()}`).digest('hex');
    return join(folder, `${name}.json`);
  };

  const locked = async <T>(work: () => Promise<T>): Promise<T> => {
    await makePrivateFolder(folder);
    const lock = await lockFolder(folder, { ...owner, now: Date.now() }, signal);
    try {
      // What a crash left behind: who makes one holds the lock.
      await removeFiles(folder, (name) => name.endsWith('.tmp'));
      return await work();
    } finally {
      await lock.release();
    }
  };

  const list = async (): Promise<readonly Identity[]> => {
    const names = (await namesIn(folder)).filter((name) => name.endsWith('.json'));
    const all = await Promise.all(names.map((name) => readIdentity(join(folder, name))));
    return all.filter((identity) => identity !== undefined);
  };

  return {
    list,
    read: (issuer, email) => readIdentity(pathOf(issuer, email)),
    prepare: () => locked(async () => stage(join(folder, 'new')).discard()),
    update: (issuer, email, make) =>
      locked(async () => {
        const path = pathOf(issuer, email);
        const current = await readIdentity(path);
        const staged = stage(path);
        try {
          const { assertion, refreshToken } = await make(current);
          if (assertion === current?.assertion && refreshToken === current.refreshToken) return current;
          const identity = { issuer, email, assertion, refreshToken };
          staged.commit(formatIdentity(identity));
          return identity;
        } catch (error) {
          throw diskError(error, path, 'disk');
        } finally {
          staged.discard();
        }
      }),
    remove: async (test) => {
      if ((await namesIn(folder)).length === 0) return 0;
      return locked(async () => {
        if (test === undefined) return removeFiles(folder, (name) => name.endsWith('.json'));
        const doomed = (await list()).filter(test);
        const paths = new Set(doomed.map(({ issuer, email }) => pathOf(issuer, email)));
        return removeFiles(folder, (name) => paths.has(join(folder, name)));
      });
    },
  };
}

function stage(path: string): StagedFile {
  try {
    return stageFile(`${path}.${randomUUID()}.tmp`, path, FILE_MODE);
  } catch (error) {
    throw diskError(error, path, 'disk');
  }
}

async function lockFolder(
  folder: string,
  owner: LockOwner,
  signal: AbortSignal | undefined,
): Promise<RunLock> {
  try {
    return await takeLock(folder, owner, { timeoutMs: LOCK_TIMEOUT_MS, signal });
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'locked') throw error;
    throw new TickhaulError(
      'locked',
      `${folder}: another process keeps the identities locked; try again later`,
    );
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw diskError(error, folder, 'disk');
  }
}

async function removeFiles(folder: string, test: (name: string) => boolean): Promise<number> {
  const names = (await namesIn(folder)).filter(test);
  for (const name of names) {
    await rm(join(folder, name), { force: true }).catch((error: unknown) => {
      throw diskError(error, join(folder, name), 'disk');
    });
  }
  return names.length;
}
