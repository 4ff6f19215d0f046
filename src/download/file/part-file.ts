import { constants, type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskError, TickhaulError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import type { DatasetAnswer } from '../../service/types.js';
import { NO_FOLLOW } from '../../store/no-follow.js';
import { removeResumeNote, writeResumeNote } from '../../store/part.js';
import { LEAST_TO_STREAM } from './small.js';

/** Where the bytes of one day file go. */
export interface PartPlace {
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
const WRITE_ON = constants.O_RDWR | NO_FOLLOW;
const WRITE_ANEW = WRITE_ON | constants.O_CREAT | constants.O_TRUNC;

/** Parts at least this large are worth a look at the free space. */
const SPACE_CHECK = 1_000_000;

/**
 * Opens the part at its end where the answer goes on from there, else empty; and notes how to resume it.
 * @param isNoted whether there is a note of an earlier try.
 */
export async function openPart(
  place: PartPlace,
  answer: DatasetAnswer,
  isNoted: boolean,
): Promise<FileHandle> {
  const { total, start } = answer;
  const { dir, path, target, part } = place;
  await checkSpace(target, (total ?? 0) - start);
  if (start === 0) {
    if (isWorthANote(place, answer))
      await writeResumeNote(dir, path, { etag: answer.resumeEtag, total: answer.total });
    else if (isNoted) await removeResumeNote(dir, path);
  }
  try {
    return await open(part, start === 0 ? WRITE_ANEW : WRITE_ON);
  } catch (error) {
    throw diskError(error, part);
  }
}

/** A part without a byte is of no use to any later try. */
export async function removeIfEmpty(handle: FileHandle, part: string): Promise<void> {
  const { size } = await handle.stat().catch(() => ({ size: undefined }));
  if (size === 0) await rm(part, { force: true }).catch(() => {});
}

/** A disk too small is known before the hours that would fill it. */
async function checkSpace(target: string, bytes: number): Promise<void> {
  if (bytes < SPACE_CHECK) return;
  const { bavail, bsize } = await statfs(dirname(target));
  if (bavail * bsize < bytes) {
    throw new TickhaulError(
      'disk',
      `${target}: needs ${formatSize(bytes)}, and the disk has ${formatSize(bavail * bsize)} free`,
    );
  }
}

type Resumable = DatasetAnswer & { readonly resumeEtag: string; readonly total: number };

/** A small file is sooner asked for again than noted. */
export function isWorthANote({ resumable }: PartPlace, answer: DatasetAnswer): answer is Resumable {
  return resumable && answer.resumeEtag !== undefined && (answer.total ?? 0) >= LEAST_TO_STREAM;
}
