import { formatDay, msToDay } from '../../dataset/day.js';
import type { FindingEvent } from '../../run/run-events.js';
import type { Uploads } from '../../store/destination.js';
import { parseFileName } from '../folder-contents.js';
import type { VerifyScope } from '../verify-scope.js';

const DAY_MS = 86_400_000;

/**
 * Tells of uploads that were begun more than a day ago and never ended: what killed runs leave in an object store,
 * which nobody sees and somebody pays for.
 * @param isClean whether they are ended as well.
 */
export async function* findStaleUploads(
  uploads: Uploads,
  scope: VerifyScope,
  isClean: boolean,
  signal: AbortSignal,
): AsyncGenerator<FindingEvent> {
  for await (const some of uploads.list(signal)) {
    for (const upload of some) {
      const { path, startedMs } = upload;
      const isMeant = scope.findRoot(path) !== undefined && scope.includes(parseFileName(path));
      if (!isMeant || Date.now() - startedMs < DAY_MS) continue;
      if (isClean) await uploads.abandon(upload, signal);
      yield {
        event: 'finding',
        kind: isClean ? 'removed' : 'stale',
        path,
        message: `${path}: an upload that was begun on ${formatDay(msToDay(startedMs))} and never ended`,
      };
    }
  }
}
