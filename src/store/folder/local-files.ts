import { rm, stat } from 'node:fs/promises';
import { openRegular, pathExists, readChunks } from '../../base/disk-files.js';
import { isSystemError, TickhaulError, toDiskError } from '../../base/errors.js';
import type { Files, RandomAccess, StoredFileInfo } from '../files.js';
import { exportLogPath, manifestPath } from '../paths.js';
import { openPartFile } from './part-file.js';

/** Accesses local files. */
export const localFiles: Files = {
  stat: statFile,
  read: readChunks,
  openRandom,
  openPart: (path, part) => openPartFile(path, part),
  async remove(path) {
    await rm(path, { force: true }).catch((error: unknown) => {
      throw toDiskError(error, path);
    });
  },
  hasRecords: async (path) => (await pathExists(manifestPath(path))) || pathExists(exportLogPath(path)),
  async close() {},
};

/** Ignores pipes and devices, since reading them may never end. */
async function statFile(path: string): Promise<StoredFileInfo | undefined> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return undefined;
    const { size: bytes, ino, mtimeMs: modifiedMs } = stats;
    return { bytes, version: `${ino} ${modifiedMs}`, modifiedMs };
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined;
    throw toDiskError(error, path);
  }
}

async function openRandom(path: string): Promise<RandomAccess> {
  try {
    const handle = await openRegular(path);
    const { size } = await handle.stat();
    return {
      bytes: size,
      async read(position, length) {
        const bytes = Buffer.allocUnsafe(length);
        for (let done = 0; done < length; ) {
          const { bytesRead } = await handle.read(bytes, done, length - done, position + done);
          if (bytesRead === 0)
            throw new TickhaulError('corrupt', `${path}: truncated: ends before byte ${position + length}`);
          done += bytesRead;
        }
        return bytes;
      },
      close: () => handle.close(),
    };
  } catch (error) {
    throw toDiskError(error, path);
  }
}
