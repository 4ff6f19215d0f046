import { type FileHandle, open, rename } from 'node:fs/promises';
import { openAtOnce } from '../../base/disk-files.js';
import { isSystemError } from '../../base/errors.js';
import { isOpenFileAt, removeIfSame } from '../lock/remove-if-same.js';
import { forEachLine, scanManifest } from './manifest-scan.js';
import { ManifestWriter } from './manifest-writer.js';

const COMPACTION_STALE_MS = 10 * 60_000;
const LINES_PER_WRITE = 4096;

/** The lines of a file that a compaction keeps, and the position after its last complete line. */
interface LiveLines {
  readonly live: { values(): Iterable<string> };
  readonly end: number;
}

/**
 * Replaces a manifest by one with only the last line of each path, while other processes append
 * (docs/spec/manifest.md#compaction).
 *
 * 1. `<manifest>.compact`, created with O_EXCL, is both the lock among compactors and the new file. 2. The
 * live lines are written to it and synced, and it is renamed over the manifest. 3. Lines that others appended
 * to the old file since it was read are appended to the new one. They are read after the rename: a process
 * that appends even later notices that the path leads to another file, and appends again.
 *
 * A crash between steps 2 and 3 can lose a record of these milliseconds. The next run then verifies and
 * records its file again.
 * @param scan reads the file; by default a manifest.
 * @returns whether the manifest was compacted; false if another process is compacting it.
 */
export async function compactManifest(
  path: string,
  now: number,
  scan: (handle: FileHandle) => Promise<LiveLines> = scanManifest,
): Promise<boolean> {
  const output = await openOutput(`${path}.compact`, now);
  if (output === undefined) return false;
  try {
    const old = await open(path, 'r');
    try {
      const { live, end } = await scan(old);
      await writeAll(output, live.values());
      await output.sync();
      // After a long suspension, another process may have taken over the lock and the path.
      if (!(await isOpenFileAt(output, `${path}.compact`)) || !(await isOpenFileAt(old, path))) return false;
      await rename(`${path}.compact`, path);
      await copyTail(old, end, path);
      return true;
    } finally {
      await old.close();
    }
  } finally {
    // After success, the path does not exist or belongs to another compactor.
    await removeIfSame(output, `${path}.compact`).finally(() => output.close());
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
    const output = await openAtOnce(path);
    try {
      if (now - (await output.stat()).mtimeMs > COMPACTION_STALE_MS) await removeIfSame(output, path);
    } finally {
      await output.close();
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

/** Uses a writer, since another compaction may have started in the meantime. */
async function copyTail(old: FileHandle, from: number, path: string): Promise<void> {
  const tail: string[] = [];
  await forEachLine(old, from, (line) => tail.push(`${line}\n`));
  if (tail.length === 0) return;
  const writer = new ManifestWriter(path);
  await writer.append(tail.join('')).finally(() => writer.close());
}
