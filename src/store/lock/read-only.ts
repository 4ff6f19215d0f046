import { existsSync } from 'node:fs';
import { isSystemError, TickhaulError } from '../../base/errors.js';
import type { Destination, RunMembership } from '../destination.js';
import { stateFolderPath } from '../paths.js';

/** Membership in the runs of a folder, which may be read-only. */
export interface RunAccess extends RunMembership {
  /** Why the folder cannot be written; no lock is held then. Undefined if it can. */
  readonly readOnly?: TickhaulError | undefined;
}

/** System errors of a folder that is readable but not writable. */
const READ_ONLY: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM']);

/**
 * Joins the runs of a folder, but without a lock if the folder is read-only: a run without work needs none.
 * @param join joins the runs.
 * @throws any other error of `join`. If nothing was downloaded before, there is work, so the error is thrown
 * as well.
 */
export async function joinOrReadOnly(
  { locate }: Pick<Destination, 'locate'>,
  join: () => Promise<RunMembership>,
): Promise<RunAccess> {
  try {
    return await join();
  } catch (error) {
    const isDisk = error instanceof TickhaulError && error.code === 'disk';
    if (!isDisk || !isSystemError(error.cause) || !READ_ONLY.has(error.cause.code)) throw error;
    if (!existsSync(stateFolderPath(locate('')))) throw error;
    return { partSuffix: undefined, lost: undefined, readOnly: error, release: async () => {} };
  }
}
