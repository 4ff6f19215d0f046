import { type FileHandle, open, rename } from 'node:fs/promises';
import { isSystemError } from '../../base/errors.js';
import { isOpenFileAt, removeIfSame } from '../lock/remove-if-same.js';
import { forEachLine, scanManifest } from './manifest-scan.js';
import { ManifestWriter } from './manifest-writer.js';

const COMPACTION_STALE_MS = 10 * 60_000;
const LINES_PER_WRITE = 4096;

/**
 * Replaces a manifest by one that holds only the last line of each path, while other processes append.
 *
 * 1. `<manifest>.compact`, made with O_EXCL, is both the lock among compactors and the new file.
 * 2. The live lines go there, reach the disk, and the new file is renamed over the manifest.
 * 3. What others appended to the old file since it was read is appended to the new one. It is read after the
 *    rename: who writes to the old file later than that finds another file at the path, and writes again.
 *
 * A crash between the rename and step 3 can lose a record of these milliseconds; its file is then verified
 * and recorded again by the next run.
 * @returns whether it was done; another process may be at it.
 */
export async function compactManifest(path: string, now: number): Promise<boolean> {
  const fresh = await openOutput(`${path}.compact`, now);
  if (fresh === undefined) return false;
  try {
    const old = await open(path, 'r');
    try {
      const { live, end } = await scanManifest(old);
      await writeAll(fresh, live.values());
      await fresh.sync();
      // Whoever was suspended for long may have been taken for dead, and the name is another's by now.
      if (!(await isOpenFileAt(fresh, `${path}.compact`)) || !(await isOpenFileAt(old, path))) return false;
      await rename(`${path}.compact`, path);
      await copyTail(old, end, path);
      return true;
    } finally {
      await old.close();
    }
  } finally {
    // After a success the name is gone, or already another compactor's.
    await removeIfSame(fresh, `${path}.compact`).finally(() => fresh.close());
  }
}

async function openOutput(path: string, now: number): Promise<FileHandle | undefined> {
  await removeStaleOutput(path, now);
  try {
    return await open(path, 'ax');
  } catch (error) {
    if (isSystemError(error) && error.code === 'EEXIST') return undefined;
    throw error;
  }
}

async function removeStaleOutput(path: string, now: number): Promise<void> {
  try {
    const there = await open(path, 'r');
    try {
      if (now - (await there.stat()).mtimeMs > COMPACTION_STALE_MS) await removeIfSame(there, path);
    } finally {
      await there.close();
    }
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error;
  }
}

async function writeAll(handle: FileHandle, lines: Iterable<string>): Promise<void> {
  let batch: string[] = [];
  for (const line of lines) {
    batch.push(line, '\n');
    if (batch.length < 2 * LINES_PER_WRITE) continue;
    await handle.appendFile(batch.join(''));
    batch = [];
  }
  await handle.appendFile(batch.join(''));
}

/** By way of a writer, as a second compaction may have begun in the meantime. */
async function copyTail(old: FileHandle, from: number, path: string): Promise<void> {
  const tail: string[] = [];
  await forEachLine(old, from, (line) => tail.push(`${line}\n`));
  if (tail.length === 0) return;
  const writer = new ManifestWriter(path);
  await writer.append(tail.join('')).finally(() => writer.close());
}
