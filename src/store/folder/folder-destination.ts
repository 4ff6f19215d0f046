import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diskError, isSystemError } from '../../base/errors.js';
import { makeFolder } from '../../base/make-folder.js';
import { writeWhole } from '../../base/write-whole.js';
import type { Destination } from '../destination.js';
import { type StoreSettings, USUAL_STORE } from '../files.js';
import { freeSpace } from '../free-space.js';
import { tryLock } from '../lock/run-lock.js';
import { otherHolder, takeLock } from '../lock/take-lock.js';
import { openManifest } from '../manifest/manifest.js';
import { privateSuffix } from '../part-owner.js';
import { resolveInside } from '../paths.js';
import { stateFolder } from '../state-folder.js';
import { walkFiles } from '../walk.js';
import { surveyFolder } from './folder-survey.js';
import { localFiles } from './local-files.js';

/** A folder of this machine; one that isn't there is made when something comes into it. */
export function openFolder(dir: string, settings: StoreSettings = USUAL_STORE): Destination {
  return {
    kind: 'folder',
    name: dir,
    locate: (path) => (path === '' ? dir : resolveInside(dir, path)),
    files: localFiles,
    settings,
    partBytes: 0,
    survey: async (prefixesOf) => surveyFolder(dir, prefixesOf !== undefined),
    async *list(under, signal) {
      for await (const paths of walkFiles(dir, under, signal)) yield paths.map((path) => ({ path }));
    },
    openManifest: (options) => openManifest(dir, options),
    takeLock: (owner, options) => takeLock(dir, owner, options),
    async joinRun(owner) {
      const lock = await tryLock(dir, owner);
      return {
        partSuffix: lock ? undefined : await privateSuffix(owner.pid),
        other: lock ? undefined : await otherHolder(dir, owner),
        lost: lock?.lost,
        release: async () => lock?.release(),
      };
    },
    readState: (name) => readIfThere(join(stateFolder(dir), name)),
    writeState: (name, text) => writeState(join(stateFolder(dir), name), text),
    freeBytes: () => freeSpace(dir),
    async close() {},
  };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw diskError(error, path, 'disk');
  }
}

async function writeState(path: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await writeWhole(path, [text]);
  } catch (error) {
    throw diskError(error, path, 'disk');
  }
}
