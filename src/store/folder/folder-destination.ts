import { rename, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createFolder, readRegular, writeWhole } from '../../base/disk-files.js';
import { isSystemError, toDiskError } from '../../base/errors.js';
import { wait } from '../../base/wait.js';
import type { Destination } from '../destination.js';
import { DEFAULT_STORE_SETTINGS, type StoreSettings } from '../files.js';
import { acquireRunLock, describeOtherHolder } from '../lock/acquire-run-lock.js';
import { isOpenFileAt, withExclusiveFile } from '../lock/exclusive-file.js';
import { tryAcquireRunLock } from '../lock/run-lock.js';
import { createPrivateSuffix } from '../part-path.js';
import { resolveInside, stateFolderPath } from '../paths.js';
import { findFolderDayPart, openFolderDayPart, removeFolderDayPart } from './folder-day-part.js';
import { createFolderLookup, walkFiles } from './folder-lookup.js';
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
