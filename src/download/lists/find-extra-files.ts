import { DAY_FILE_EXTENSION } from '../../dataset/day-file.js';
import type { FindingEvent } from '../../run/run-events.js';
import type { Destination } from '../../store/destination.js';
import { isSystemPath } from '../../store/stray-files.js';

/**
 * Finds day files that a lock file does not name: they would change results that must be the same everywhere.
 * @param lockedPaths paths of the lock file.
 * @throws TickhaulError `disk`; the reason of an abort.
 */
export async function* findExtraFiles(
  destination: Destination,
  lockedPaths: { has(path: string): boolean },
  signal: AbortSignal,
): AsyncGenerator<FindingEvent> {
  for await (const files of destination.list('', signal)) {
    for (const { path } of files) {
      if (!path.endsWith(DAY_FILE_EXTENSION) || isSystemPath(path) || lockedPaths.has(path)) continue;
      yield { event: 'finding', kind: 'extra', path, message: `${path}: the lock file does not name it` };
    }
  }
}
