import { constants, type FileHandle, lstat, open, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isLinked, NO_FOLLOW, replaceIfLinked, writeAll } from '../../base/disk-files.js';
import { TickhaulError, toDiskError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import { hashFile } from '../../gzip/checksums.js';
import type { DayPart, DayPartOptions, KeptPart } from '../destination.js';
import { partPath, readResumeNote, removeResumeNote, writeResumeNote } from '../part-path.js';
import { createParentFolder, resolveInside } from '../paths.js';

/** Rejects a part file that is a symbolic link, which could lead out of the folder. */
const RESUME_FLAGS = constants.O_RDWR | NO_FOLLOW;
const CREATE_FLAGS = RESUME_FLAGS | constants.O_CREAT | constants.O_TRUNC;

/** Below this size, free space is not checked. */
const MIN_BYTES_FOR_SPACE_CHECK = 1_000_000;
/** Minimum size of a file for a resume note; downloading a smaller one again is faster. */
const MIN_BYTES_TO_RESUME = 64 * 1024;
const READ_CHUNK_BYTES = 1024 * 1024;

/**
 * Finds the part file of an earlier run, by its resume note. A part file with a private name is never resumed, since its
 * run could not publish it under the final name.
 */
export async function findFolderDayPart(
  dir: string,
  path: string,
  suffix: string | undefined,
): Promise<KeptPart | undefined> {
  const note = suffix === undefined ? await readResumeNote(dir, path) : undefined;
  if (!note) return undefined;
  await createParentFolder(dir, path);
  try {
    const handle = await open(partPath(resolveInside(dir, path)), 'r');
    const { size } = await handle.stat().finally(() => handle.close());
    const from = size < note.total ? size : 0;
    return { ...note, from };
  } catch {
    return { ...note, from: 0 };
  }
}

/** Removes the part file of an earlier run and its note. Failures are ignored. */
export async function removeFolderDayPart(dir: string, path: string): Promise<void> {
  await rm(partPath(resolveInside(dir, path)), { force: true }).catch(() => {});
  await removeResumeNote(dir, path).catch(() => {});
}

/**
 * Opens the part file of a day file: at its end to resume it, else empty, with the note needed to resume it later.
 * @throws TickhaulError `disk`, also if the disk is too small.
 */
export async function openFolderDayPart(
  dir: string,
  path: string,
  { suffix, start, total, etag, hasKeptPart }: DayPartOptions,
): Promise<DayPart> {
  const target = resolveInside(dir, path);
  const part = partPath(target, suffix);
  await createParentFolder(dir, path);
  await assertSpace(target, (total ?? 0) - start);
  const note =
    suffix === undefined && etag !== undefined && total !== undefined && total >= MIN_BYTES_TO_RESUME
      ? { etag, total }
      : undefined;
  if (start === 0) {
    if (note) await writeResumeNote(dir, path, note);
    else if (hasKeptPart) await removeResumeNote(dir, path);
  }
  const handle = await openPart(part, start);
  let position = start;
  return {
    async *kept(signal) {
      for (let at = 0; at < start; ) {
        const chunk = Buffer.allocUnsafe(Math.min(READ_CHUNK_BYTES, start - at));
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
        if (bytesRead === 0) throw new TickhaulError('corrupt', `${part} shrank while it was read`);
        yield chunk.subarray(0, bytesRead);
        at += bytesRead;
        signal.throwIfAborted();
      }
    },
    async write(bytes) {
      await writeAll(handle, bytes, position, part);
      position += bytes.length;
    },
    async publish(sha256) {
      await publishPart(part, target, handle, sha256);
      if (note || (hasKeptPart && start > 0)) await removeResumeNote(dir, path);
      return undefined;
    },
    async close(keeps) {
      if (suffix !== undefined) await rm(part, { force: true }).catch(() => {});
      else if (!keeps) await removeFolderDayPart(dir, path);
      else await removeIfEmpty(handle, part);
      await handle.close().catch(() => {});
    },
  };
}

async function openPart(part: string, start: number): Promise<FileHandle> {
  try {
    if (start > 0) await replaceIfLinked(part);
    else if (await isLinked(part)) await rm(part, { force: true });
    return await open(part, start === 0 ? CREATE_FLAGS : RESUME_FLAGS);
  } catch (error) {
    throw toDiskError(error, part);
  }
}

/** Removes an empty part file, which no later run can use. */
async function removeIfEmpty(handle: FileHandle, part: string): Promise<void> {
  const { size } = await handle.stat().catch(() => ({ size: undefined }));
  if (size === 0) await rm(part, { force: true }).catch(() => {});
}

/** Checks the free space first: a full disk would otherwise show only after hours. */
async function assertSpace(target: string, bytes: number): Promise<void> {
  if (bytes < MIN_BYTES_FOR_SPACE_CHECK) return;
  const { bavail, bsize } = await statfs(dirname(target));
  if (bavail * bsize < bytes) {
    throw new TickhaulError(
      'disk',
      `${target}: needs ${formatSize(bytes)}, and the disk has ${formatSize(bavail * bsize)} free; free some space and run the same command again`,
    );
  }
}

/**
 * Syncs a verified `.part` file and renames it to its final name. The sync comes first: after a power
 * failure, a final name must not belong to an empty file. Always closes the handle.
 * @param sha256 checksum of the part. If the final file has the same bytes, it is kept, since it may be open
 * for reading, and the part is removed.
 * @throws TickhaulError `disk`.
 */
export async function publishPart(
  partPath: string,
  finalPath: string,
  handle: FileHandle,
  sha256: string,
): Promise<void> {
  try {
    let isPublished = false;
    try {
      isPublished = await hasSameBytes(finalPath, handle, sha256);
      if (!isPublished) await handle.sync();
    } finally {
      await handle.close();
    }
    await (isPublished ? rm(partPath) : rename(partPath, finalPath));
  } catch (error) {
    throw toDiskError(error, finalPath);
  }
}

/** Whether a file has the bytes of an open file. An unreadable file counts as different. */
async function hasSameBytes(path: string, handle: FileHandle, sha256: string): Promise<boolean> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size !== (await handle.stat()).size) return false;
    return (await hashFile(path, 'sha256')) === sha256;
  } catch {
    return false;
  }
}
