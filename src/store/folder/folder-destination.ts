import { type Dirent, lstatSync, readdirSync, statSync } from 'node:fs';
import { readdir, rename, stat, statfs } from 'node:fs/promises';
import { dirname, join, posix, resolve } from 'node:path';
import { createFolder, mayBeUndecoded, readRegular, writeWhole } from '../../base/disk-files.js';
import { abortReason, isSystemError, toDiskError } from '../../base/errors.js';
import { wait } from '../../base/wait.js';
import { STATE_FOLDER } from '../../day-files/day-file.js';
import type { Destination, FileLookup } from '../destination.js';
import { DEFAULT_STORE_SETTINGS, type StoreSettings } from '../files.js';
import { isOpenFileAt, withExclusiveFile } from '../lock/exclusive-file.js';
import { acquireRunLock, describeOtherHolder, tryAcquireRunLock } from '../lock/run-lock.js';
import { createPrivateSuffix } from '../part-path.js';
import { resolveInside, stateFolderPath } from '../paths.js';
import { findFolderDayPart, openFolderDayPart, removeFolderDayPart } from './folder-day-part.js';
import { openFolderManifest, readFolderManifest } from './folder-manifest.js';
import { localFiles } from './local-files.js';

/** Opens a local folder as a destination. It is created when the first file is written. */
export function openFolderDestination(
  dir: string,
  settings: StoreSettings = DEFAULT_STORE_SETTINGS,
): Destination {
  return {
    hasLocalPaths: true,
    uploadMemoryBytes: 0,
    name: dir,
    locate: (path) => (path === '' ? dir : resolveInside(dir, path)),
    files: localFiles,
    settings,
    openLookup: async (getPrefixes) => createFolderLookup(dir, getPrefixes !== undefined),
    async *list(under, signal) {
      for await (const paths of walkFiles(dir, under, signal)) yield paths.map((path) => ({ path }));
    },
    findDayPart: (path, suffix) => findFolderDayPart(dir, path, suffix),
    removeDayPart: (path) => removeFolderDayPart(dir, path),
    openDayPart: (path, options) => openFolderDayPart(dir, path, options),
    openManifest: (options) => openFolderManifest(dir, options),
    readRecords: (options) => readFolderManifest(dir, options),
    acquireLock: (owner, options) => acquireRunLock(dir, owner, options),
    async joinRun(owner) {
      const lock = await tryAcquireRunLock(dir, owner);
      return {
        partSuffix: lock ? undefined : await createPrivateSuffix(owner.pid),
        other: lock ? undefined : await describeOtherHolder(dir, owner),
        lost: lock?.lost,
        release: async () => lock?.release(),
      };
    },
    readState: (name) => readState(join(stateFolderPath(dir), name)),
    writeState: (name, text) => writeState(join(stateFolderPath(dir), name), text),
    updateState: (name, update, signal) => updateState(join(stateFolderPath(dir), name), update, signal),
    freeBytes: () => readFreeSpace(dir),
    async close() {},
  };
}

async function readState(path: string): Promise<string | undefined> {
  try {
    return await readIfPresent(path);
  } catch (error) {
    throw toDiskError(error, path, 'disk');
  }
}

async function writeState(path: string, text: string): Promise<void> {
  try {
    await writeWhole(path, [text], { followsLinks: false });
  } catch (error) {
    throw toDiskError(error, path, 'disk');
  }
}

async function updateState(
  path: string,
  update: (text: string | undefined) => string,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await createFolder(dirname(path));
    await updateStateFile(path, update, signal);
  } catch (error) {
    throw toDiskError(error, path, 'disk');
  }
}

/**
 * Free bytes for this user on the disk of a folder, which need not exist yet; undefined if the system does
 * not report it.
 */
async function readFreeSpace(dir: string): Promise<number | undefined> {
  const folder = resolve(dir);
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    const parent = dirname(folder);
    return parent === folder ? undefined : readFreeSpace(parent);
  }
}

/** Age at which an unfinished update was left by a process that ended. */
const STALE_MS = 10_000;
const POLL_MS = 20;

/**
 * Replaces a file by what `update` returns for its text. `<path>.update` is the new file and the lock among writers. The
 * folder exists.
 * @throws system errors; the abort reason while it waits for another writer.
 */
async function updateStateFile(
  path: string,
  update: (text: string | undefined) => string,
  signal?: AbortSignal,
): Promise<void> {
  const newPath = `${path}.update`;
  const replace = (): Promise<boolean | undefined> =>
    withExclusiveFile(newPath, STALE_MS, async (file) => {
      await file.writeFile(update(await readIfPresent(path)));
      await file.sync();
      // After a long suspension, another process may have taken over.
      if (!(await isOpenFileAt(file, newPath))) return false;
      await rename(newPath, path);
      return true;
    });
  while (!(await replace())) await wait(POLL_MS, signal?.aborted ? undefined : signal);
}

/** The text of a file; undefined if it does not exist. */
async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readRegular(path);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** After this many lookups in a folder, the folder is listed. */
const LOOKUPS_BEFORE_LISTING = 64;

interface FolderState {
  lookups: number;
  /** All names in the folder, once it is listed. */
  names: ReadonlySet<string> | undefined;
}

/**
 * Looks up files in a local folder. The first paths in a folder are looked up one by one, since the folder
 * may have a million entries. Then it is listed once, since a plan may look up a million paths that do not
 * exist.
 * @param isGrouped whether paths are looked up folder after folder. If so, only the last folder is cached,
 * since there may be a million.
 */
export function createFolderLookup(dir: string, isGrouped: boolean): FileLookup {
  const folders = isGrouped ? undefined : new Map<string, FolderState>();
  let name: string | undefined;
  let folder: FolderState = { lookups: 0, names: undefined };
  const switchTo = (other: string): void => {
    name = other;
    folder = folders?.get(other) ?? { lookups: 0, names: undefined };
    folders?.set(other, folder);
  };
  return {
    has(path) {
      const slash = path.lastIndexOf('/');
      const parent = path.slice(0, Math.max(0, slash));
      if (parent !== name) switchTo(parent);
      const exists = folder.lookups++ < LOOKUPS_BEFORE_LISTING ? existsSync(`${dir}/${path}`) : undefined;
      if (exists !== undefined) return exists;
      folder.names ??= listNames(posix.join(dir, parent));
      return folder.names.has(path.slice(slash + 1));
    },
    get(path) {
      const bytes = readSize(`${dir}/${path}`);
      return bytes === undefined ? undefined : { bytes };
    },
  };
}

/** @returns undefined on an error: listing the folder will report it. */
function existsSync(path: string): boolean | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return undefined;
  }
}

function readSize(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch (error) {
    if (isMissingFolder(error)) return undefined;
    throw toDiskError(error, path);
  }
}

function listNames(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder));
  } catch (error) {
    if (isMissingFolder(error)) return new Set();
    throw toDiskError(error, folder);
  }
}

/** Without the folder, no file exists. If something is in its way, the first write reports it. */
function isMissingFolder(error: unknown): boolean {
  return isSystemError(error) && ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(error.code);
}

/**
 * Lists the files under a folder: paths relative to `root`, with `/`, sorted, in batches of files in the same
 * folder, as there may be a million. Leaves out tickhaul's state folders. Follows links to files but not to
 * folders, which may form circles.
 * @param under a folder or file in `root`; empty for all. Missing files are skipped. A folder whose name Node
 * cannot decode is returned like a file, since it cannot be listed.
 * @throws TickhaulError `disk` for a folder that cannot be read; the abort reason.
 */
async function* walkFiles(
  root: string,
  under: string,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  if (signal.aborted) throw abortReason(signal);
  let files: string[] = [];
  const entries = await listFolder(root, under);
  if (!entries) {
    if (mayBeUndecoded(under)) yield [under];
    return;
  }
  for (const entry of entries) {
    const path = under === '' ? entry.name : posix.join(under, entry.name);
    if (entry.isDirectory()) {
      if (entry.name === STATE_FOLDER) continue;
      if (files.length > 0) yield files;
      files = [];
      yield* walkFiles(root, path, signal);
    } else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(join(root, path))))) {
      files.push(path);
    }
  }
  if (files.length > 0) yield files;
}

/** @returns undefined if the folder does not exist. */
async function listFolder(root: string, under: string): Promise<readonly Dirent[] | undefined> {
  const folder = join(root, under);
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw toDiskError(error, folder, 'disk');
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    // A broken link, or one that is part of a circle.
    if (isSystemError(error)) return false;
    throw error;
  }
}
