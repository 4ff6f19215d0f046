import { createHash, randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, TickhaulError, toDiskError } from '../../base/errors.js';
import type { VerifiedIdentity } from '../../service/account/issuer.js';
import { type AcquireLockOptions, acquireRunLock } from '../../store/lock/acquire-run-lock.js';
import type { LockOwner, RunLock } from '../../store/lock/run-lock.js';
import type { Identity } from './identity.js';
import { formatIdentity, readIdentity } from './identity-file.js';
import { createPrivateFolder, FILE_MODE } from './private-files.js';
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
  prepare(issuer: string, email: string): Promise<void>;
  /**
   * Replaces an identity while no other process can; other identities are free meanwhile. `make` is given what is
   * stored now, and gives what to store, or the same for no change. When it throws, all stays as it was.
   * @throws TickhaulError `locked`; what `make` throws.
   */
  update(
    issuer: string,
    email: string,
    make: (current: Identity | undefined) => Promise<VerifiedIdentity>,
  ): Promise<Identity>;
  /**
   * Forgets those that the test names; without one everything, damaged files too.
   * @param passOver told of each file that can't be read, and so is passed over by the test.
   * @returns how many there were.
   */
  remove(test?: (identity: Identity) => boolean, passOver?: (why: TickhaulError) => void): Promise<number>;
}

export function openIdentityStore({ configDir, owner, signal }: IdentityStoreOptions): IdentityStore {
  const folder = join(configDir, 'identities');

  /** Does some work on one file while no other process does. */
  const locked = async <T>(
    name: string,
    work: (path: string) => Promise<T>,
    timeoutMs = LOCK_TIMEOUT_MS,
  ): Promise<T> => {
    await createPrivateFolder(folder);
    const holder = { ...owner, now: Date.now() };
    const lock = await lockIdentity(folder, holder, { timeoutMs, signal, name });
    try {
      // What a crash left behind: who makes one holds the lock.
      await removeFiles(folder, (other) => other !== name && fileOf(other) === name);
      return await work(join(folder, name));
    } finally {
      await lock.release();
    }
  };

  return {
    list: async () => {
      const names = (await namesIn(folder)).filter((name) => fileOf(name) === name);
      const all = await Promise.all(names.map((name) => readIdentity(join(folder, name))));
      return all.filter((identity) => identity !== undefined);
    },
    read: (issuer, email) => readIdentity(join(folder, nameOf(issuer, email))),
    prepare: (issuer, email) => locked(nameOf(issuer, email), async (path) => stage(path).discard()),
    update: (issuer, email, make) =>
      locked(nameOf(issuer, email), async (path) => {
        const current = await readIdentity(path);
        const staged = stage(path);
        try {
          const { assertion, refreshToken } = await make(current);
          if (assertion === current?.assertion && refreshToken === current.refreshToken) return current;
          const identity = { issuer, email, assertion, refreshToken };
          staged.commit(formatIdentity(identity));
          return identity;
        } catch (error) {
          throw toDiskError(error, path, 'disk');
        } finally {
          staged.discard();
        }
      }),
    remove: async (test, passOver = () => {}) => {
      const names = new Set((await namesIn(folder)).flatMap((name) => fileOf(name) ?? []));
      if (names.size > 0) await createPrivateFolder(folder);
      const isMeant = async (path: string): Promise<boolean> => {
        if (test === undefined) return true;
        const identity = await readIdentity(path).catch((error: unknown) => {
          if (!(error instanceof TickhaulError)) throw error;
          passOver(error);
        });
        return identity !== undefined && test(identity);
      };
      const removals = [...names].map(async (name) => {
        if (await isMeant(join(folder, name))) {
          return locked(name, () => removeFiles(folder, (other) => other === name));
        }
        // What a crash left behind may hold anybody's secrets; where somebody is at work, it is no such thing.
        await locked(name, async () => {}, 0).catch(unlessLocked);
        return 0;
      });
      return sumOf(await Promise.allSettled(removals));
    },
  };
}

/** Any host and e-mail make a name that every file system takes; who they are stands in the file. */
function nameOf(issuer: string, email: string): string {
  const name = createHash('sha256').update(`${issuer}\n${email.toLowerCase()}`).digest('hex');
  return `${name}.json`;
}

/** The file that a name of the folder is, or was to become; undefined for anything else. */
function fileOf(name: string): string | undefined {
  return /^(.+\.json)(\..+\.tmp)?$/.exec(name)?.[1];
}

/** One that can't be removed keeps no other from going. @throws why the first one could not be. */
function sumOf(removals: readonly PromiseSettledResult<number>[]): number {
  return removals.reduce((sum, removal) => {
    if (removal.status === 'rejected') throw removal.reason;
    return sum + removal.value;
  }, 0);
}

function stage(path: string): StagedFile {
  try {
    return stageFile(`${path}.${randomUUID()}.tmp`, path, FILE_MODE);
  } catch (error) {
    throw toDiskError(error, path, 'disk');
  }
}

async function lockIdentity(
  folder: string,
  owner: LockOwner,
  { name, ...options }: AcquireLockOptions & { readonly name: string },
): Promise<RunLock> {
  try {
    return await acquireRunLock(folder, owner, { ...options, name: `${name}.lock` });
  } catch (error) {
    unlessLocked(error);
    throw new TickhaulError(
      'locked',
      `${join(folder, name)}: another process keeps this identity locked; try again later`,
    );
  }
}

/** @throws any other error than `locked`. */
function unlessLocked(error: unknown): void {
  if (!(error instanceof TickhaulError) || error.code !== 'locked') throw error;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw toDiskError(error, folder, 'disk');
  }
}

async function removeFiles(folder: string, test: (name: string) => boolean): Promise<number> {
  const names = (await namesIn(folder)).filter(test);
  for (const name of names) {
    await rm(join(folder, name), { force: true }).catch((error: unknown) => {
      throw toDiskError(error, join(folder, name), 'disk');
    });
  }
  return names.length;
}
