import { constants, type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isLinked, NO_FOLLOW, replaceIfLinked } from '../../base/disk-files.js';
import { TickhaulError, toDiskError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import type { DayFileResponse } from '../../service/service-config.js';
import { removeResumeNote, writeResumeNote } from '../../store/part-path.js';
import { MIN_BYTES_TO_STREAM } from './receive-small-file.js';

/** Paths of one day file and its part file. */
export interface PartLocation {
  /** Download folder, and the file's path relative to it. */
  readonly dir: string;
  readonly path: string;
  /** Absolute paths of the final file and of the part file. */
  readonly target: string;
  readonly part: string;
  /** Whether a later run may resume the part file. */
  readonly resumable: boolean;
}

/** Rejects a part file that is a symbolic link, which could lead out of the folder. */
const RESUME_FLAGS = constants.O_RDWR | NO_FOLLOW;
const CREATE_FLAGS = RESUME_FLAGS | constants.O_CREAT | constants.O_TRUNC;

/** Below this size, free space is not checked. */
const MIN_BYTES_FOR_SPACE_CHECK = 1_000_000;

/**
 * Opens the part file at its end to resume it, else empty, and writes the note needed to resume it later.
 * @param isNoted whether an earlier attempt left a note.
 */
export async function openDownloadPart(
  location: PartLocation,
  response: DayFileResponse,
  isNoted: boolean,
): Promise<FileHandle> {
  const { total, start } = response;
  const { dir, path, target, part } = location;
  await assertSpace(target, (total ?? 0) - start);
  if (start === 0) {
    if (needsResumeNote(location, response))
      await writeResumeNote(dir, path, { etag: response.resumeEtag, total: response.total });
    else if (isNoted) await removeResumeNote(dir, path);
  }
  try {
    if (start > 0) await replaceIfLinked(part);
    else if (await isLinked(part)) await rm(part, { force: true });
    return await open(part, start === 0 ? CREATE_FLAGS : RESUME_FLAGS);
  } catch (error) {
    throw toDiskError(error, part);
  }
}

/** Removes an empty part file, which no later attempt can use. */
export async function removeIfEmpty(handle: FileHandle, part: string): Promise<void> {
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
      `${target}: needs ${formatSize(bytes)}, and the disk has ${formatSize(bavail * bsize)} free`,
    );
  }
}

type ResumableResponse = DayFileResponse & { readonly resumeEtag: string; readonly total: number };

/** Whether to write a resume note; downloading a small file again is faster. */
export function needsResumeNote(
  { resumable }: PartLocation,
  response: DayFileResponse,
): response is ResumableResponse {
  return resumable && response.resumeEtag !== undefined && (response.total ?? 0) >= MIN_BYTES_TO_STREAM;
}
