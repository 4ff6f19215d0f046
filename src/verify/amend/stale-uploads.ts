import { formatDay, msToDay } from '../../dataset/day.js';
import type { FindingEvent } from '../../run/run-events.js';
import type { Uploads } from '../../store/destination.js';
import { parseFileName } from '../folder-contents.js';
import type { VerifyScope } from '../verify-scope.js';

const DAY_MS = 86_400_000;

/**
 * Reports uploads that started more than a day ago and never completed. Killed runs leave them in an object store,
 * where listings do not show them but their storage is billed.
 * @param isClean whether they are aborted as well.
 */
export async function* findStaleUploads(
  uploads: Uploads,
  scope: VerifyScope,
  isClean: boolean,
  signal: AbortSignal,
): AsyncGenerator<FindingEvent> {
  for await (const page of uploads.list(signal)) {
    for (const upload of page) {
      const { path, startedMs } = upload;
      const isInScope = scope.findRoot(path) !== undefined && scope.includes(parseFileName(path));
      if (!isInScope || Date.now() - startedMs < DAY_MS) continue;
      if (isClean) await uploads.abandon(upload, signal);
      yield {
        event: 'finding',
        kind: isClean ? 'removed' : 'stale',
        path,
        message: `${path}: an upload started on ${formatDay(msToDay(startedMs))} and never completed`,
      };
    }
  }
}
