import { existsSync } from 'node:fs';
import { isSystemError, TickhaulError } from '../../base/errors.js';
import type { Destination, JoinedRun } from '../destination.js';
import { stateFolder } from '../state-folder.js';

/** A run's place in a folder, which it may hold without a right to write there. */
export interface RunPlace extends JoinedRun {
  /** Why nothing can be written; no lock is held then. Undefined where all can be. */
  readonly readOnly?: TickhaulError | undefined;
}

/** System errors of a folder that may only be read. */
const READ_ONLY: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM']);

/**
 * Takes a run's place in a folder, without a lock where that may only be read: a run with nothing to do needs none.
 * @param join takes the place.
 * @throws what it throws for any other reason, and where nothing was downloaded before: there is something to do then.
 */
export async function placeOrReadOnly(
  { locate }: Pick<Destination, 'locate'>,
  join: () => Promise<JoinedRun>,
): Promise<RunPlace> {
  try {
    return await join();
  } catch (error) {
    const isDisk = error instanceof TickhaulError && error.code === 'disk';
    if (!isDisk || !isSystemError(error.cause) || !READ_ONLY.has(error.cause.code)) throw error;
    if (!existsSync(stateFolder(locate('')))) throw error;
    return { partSuffix: undefined, lost: undefined, readOnly: error, release: async () => {} };
  }
}
