import { constants, type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TickhaulError, toDiskError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import type { DayFileResponse } from '../../service/service-config.js';
import { NO_FOLLOW } from '../../store/no-follow.js';
import { removeResumeNote, writeResumeNote } from '../../store/part-path.js';
import { MIN_BYTES_TO_STREAM } from './receive-small-file.js';

/** Where the bytes of one day file go. */
export interface PartLocation {
  /** Download folder, and the file's path under it. */
  readonly dir: string;
  readonly path: string;
  /** Absolute paths of the file that will be, and of its bytes until then. */
  readonly target: string;
  readonly part: string;
  /** Whether a part of this run may be gone on with by a later one. */
  readonly resumable: boolean;
}

/** A part that is a symbolic link is refused: it would lead the bytes out of the folder. */
const RESUME_FLAGS = constants.O_RDWR | NO_FOLLOW;
const CREATE_FLAGS = RESUME_FLAGS | constants.O_CREAT | constants.O_TRUNC;

/** Parts at least this large are worth a look at the free space. */
const MIN_BYTES_FOR_SPACE_CHECK = 1_000_000;

/**
 * Opens the part at its end where the answer goes on from there, else empty; and notes how to resume it.
 * @param isNoted whether there is a note of an earlier try.
 */
export async function openDownloadPart(
  place: PartLocation,
  answer: DayFileResponse,
  isNoted: boolean,
): Promise<FileHandle> {
  const { total, start } = answer;
  const { dir, path, target, part } = place;
  await assertSpace(target, (total ?? 0) - start);
  if (start === 0) {
    if (needsResumeNote(place, answer))
      await writeResumeNote(dir, path, { etag: answer.resumeEtag, total: answer.total });
    else if (isNoted) await removeResumeNote(dir, path);
  }
  try {
    return await open(part, start === 0 ? CREATE_FLAGS : RESUME_FLAGS);
  } catch (error) {
    throw toDiskError(error, part);
  }
}

/** A part without a byte is of no use to any later try. */
export async function removeIfEmpty(handle: FileHandle, part: string): Promise<void> {
  const { size } = await handle.stat().catch(() => ({ size: undefined }));
  if (size === 0) await rm(part, { force: true }).catch(() => {});
}

/** A disk too small is known before the hours that would fill it. */
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

/** A small file is sooner asked for again than noted. */
export function needsResumeNote(
  { resumable }: PartLocation,
  answer: DayFileResponse,
): answer is ResumableResponse {
  return resumable && answer.resumeEtag !== undefined && (answer.total ?? 0) >= MIN_BYTES_TO_STREAM;
}
