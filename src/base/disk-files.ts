import { randomUUID } from 'node:crypto';
import { constants, readFileSync, type Stats } from 'node:fs';
import {
  access,
  copyFile,
  type FileHandle,
  lstat,
  mkdir,
  open,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import { abortReason, isSystemError, TickhaulError, toDiskError } from './errors.js';

/** Flag of `open` that does not wait for the other end of a pipe. Windows has neither it nor named pipes in folders. */
export const NON_BLOCKING = constants.O_NONBLOCK ?? 0;

/**
 * Opens any file for reading without waiting. Without the flag, opening a named pipe waits for its writer in
 * a thread that no signal can end.
 * @param flags added to the flags for reading.
 */
export function openAtOnce(path: string, flags = 0): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | NON_BLOCKING | flags);
}

/**
 * Opens a regular file or a folder for reading.
 * @param flags added to the flags for reading.
 * @throws TickhaulError `unreadable` for pipes and devices; system errors unchanged.
 */
export async function openRegular(path: string, flags = 0): Promise<FileHandle> {
  const handle = await openAtOnce(path, flags);
  const stats = await handle.stat();
  if (stats.isFile() || stats.isDirectory()) return handle;
  await handle.close();
  throw new TickhaulError('unreadable', `${path}: is a pipe or device, not a regular file; specify a file`);
}

/** Reads the text of a regular file; as `openRegular`, it does not wait for the writer of a pipe. */
export async function readRegular(path: string): Promise<string> {
  const handle = await openRegular(path);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

const READ_CHUNK_BYTES = 1024 * 1024;

/** Reads a file and passes its bytes to `use` in chunks. */
export type ReadChunks = (
  path: string,
  use: (chunk: Buffer) => Promise<void>,
  signal?: AbortSignal,
) => Promise<void>;

/**
 * Reads a file in chunks. Each chunk is overwritten once the promise of `use` resolves.
 * @throws TickhaulError `disk`, and what `use` throws.
 */
export async function readChunks(
  path: string,
  use: (chunk: Buffer) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  try {
    const handle = await openRegular(path);
    try {
      const { size } = await handle.stat();
      const buffer = Buffer.allocUnsafe(Math.min(READ_CHUNK_BYTES, size + 1));
      for (;;) {
        if (signal?.aborted) throw abortReason(signal);
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
        if (bytesRead === 0) return;
        await use(buffer.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw toDiskError(error, path);
  }
}

/**
 * Flag of `open` that refuses symbolic links (ELOOP), since they could lead out of the folder. Windows lacks
 * it.
 */
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Whether a path exists and is accessible. */
export function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

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

interface WriteOptions {
  /** False to replace a symbolic link, which may lead out of a folder that somebody else made. */
  readonly followsLinks?: boolean;
  /** False for a file that may be lost or cut short if the machine stops. */
  readonly sync?: boolean;
  /** Permissions of the file; the default is that of new files. */
  readonly mode?: number;
}

/**
 * Replaces a regular file atomically: after any failure it is unchanged. Its folder is created if it is missing. A path
 * from the user may be something else; use `writeOutput` for it.
 * @throws TickhaulError `disk`, `path_taken`.
 */
export async function writeWhole(
  path: string,
  content: Iterable<string | Uint8Array>,
  { followsLinks = true, sync = true, mode }: WriteOptions = {},
): Promise<void> {
  const target = followsLinks ? await realpath(path).catch(() => path) : path;
  const temporary = `${target}.${randomUUID()}`;
  try {
    await createFolder(dirname(target));
    const handle = await open(temporary, 'wx', mode);
    try {
      // The umask may have removed permissions of this user, too.
      if (mode !== undefined) await handle.chmod(mode);
      await writeFile(handle, content);
      if (sync) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    // Where the file cannot be written, this fails too, for a path below a file or a name that is too long.
    await rm(temporary, { force: true }).catch(() => {});
    throw toDiskError(error, path);
  }
}

/** Writes all bytes at a position. @param path for errors. @throws TickhaulError `disk`. */
export async function writeAll(
  handle: FileHandle,
  bytes: Uint8Array,
  position: number,
  path: string,
): Promise<void> {
  try {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
      written += bytesWritten;
    }
  } catch (error) {
    throw toDiskError(error, path);
  }
}

/**
 * Fills `bytes` from a position. @param path for errors. @returns false if the file ends before. @throws TickhaulError
 * `disk`.
 */
export async function readAll(
  handle: FileHandle,
  bytes: Uint8Array,
  position: number,
  path: string,
): Promise<boolean> {
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await handle.read(bytes, done, bytes.length - done, position + done);
      if (bytesRead === 0) return false;
      done += bytesRead;
    }
    return true;
  } catch (error) {
    throw toDiskError(error, path);
  }
}

/**
 * Whether a file has further hard links, such as those of a snapshot by `cp -al`. Writing to it would change the
 * snapshot.
 */
export async function isLinked(path: string): Promise<boolean> {
  try {
    const stats = await lstat(path);
    return stats.isFile() && stats.nlink > 1;
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Replaces a file that has further hard links by a copy, in one step, so that it may be written to. No other process may
 * write to it meanwhile. @throws system errors.
 */
export async function replaceIfLinked(path: string): Promise<void> {
  if (!(await isLinked(path))) return;
  const copy = `${path}.${randomUUID()}`;
  try {
    await copyFile(path, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const handle = await open(copy, 'r+');
    await handle.sync().finally(() => handle.close());
    await rename(copy, path);
  } finally {
    await rm(copy, { force: true });
  }
}

/** Node's replacement for bytes of a name that are not UTF-8. A path that contains it finds no such file. */
const REPLACEMENT_CHARACTER = '\uFFFD';

/** Whether Node may have failed to decode this path. It has if no file exists there. */
export function mayBeUndecoded(path: string): boolean {
  return path.includes(REPLACEMENT_CHARACTER);
}

/**
 * Why no file was found at a path.
 * @param otherwise the reason to use for a path that was decoded.
 */
export function whyNotFound(path: string, otherwise: string): string {
  return mayBeUndecoded(path) ? 'its name is not valid UTF-8; rename it' : otherwise;
}

/** The effective user of this process; systems without such numbers (Windows) have none. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

/** The strangers of a file that is open to all. */
export const ALL_USERS = 'all users';

type Permissions = Pick<Stats, 'mode' | 'uid' | 'gid'>;
/** Permission bits: of the group, and of all. */
const BITS = { read: [0o040, 0o004], write: [0o020, 0o002] } as const;

/**
 * Describes the strangers that the mode lets read or write a file: all users, or a group that is not its owner's. On
 * many systems each user has a private group, and new files are open to it.
 * @param user undefined on systems without modes; then there is no answer.
 * @returns subject of a sentence; undefined if only the owner and its group may.
 */
export function findStrangers(
  { mode, uid, gid }: Permissions,
  right: keyof typeof BITS,
  user: ProcessUser | undefined,
): string | undefined {
  const [ofGroup, ofAll] = BITS[right];
  if (user === undefined) return undefined;
  if (mode & ofAll) return ALL_USERS;
  if (mode & ofGroup && gid !== primaryGroupOf(uid, user))
    return `a group other than its owner's (GID ${gid})`;
  return undefined;
}

/** Describes the owner of a file that is neither this user nor root; undefined if it is one of them. */
export function findForeignOwner({ uid }: Permissions, user: ProcessUser | undefined): string | undefined {
  return user === undefined || uid === user.uid || uid === 0 ? undefined : `another user (UID ${uid})`;
}

/** Users of a directory service are not in the file; a private group usually has the number of its user. */
function primaryGroupOf(uid: number, user: ProcessUser): number {
  const fallback = uid === user.uid ? user.gid : uid;
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.split(':')[2] === String(uid));
    return Number(line?.split(':')[3] ?? fallback);
  } catch {
    return fallback;
  }
}

/** Quotes a word for a POSIX shell, if needed. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
