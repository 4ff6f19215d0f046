import { dayOfMs, formatDay } from '../../dataset/day.js';
import type { FindingEvent } from '../../run/events.js';
import type { Uploads } from '../../store/destination.js';
import type { Scope } from '../scope.js';
import { namedFile } from '../survey.js';

const DAY_MS = 86_400_000;

/**
 * Tells of uploads that were begun more than a day ago and never ended: what killed runs leave in an object store,
 * which nobody sees and somebody pays for.
 * @param isClean whether they are ended as well.
 */
export async function* staleUploads(
  uploads: Uploads,
  scope: Scope,
  isClean: boolean,
  signal: AbortSignal,
): AsyncGenerator<FindingEvent> {
  for await (const some of uploads.list(signal)) {
    for (const upload of some) {
      const { path, begun } = upload;
      const isMeant = scope.rootOf(path) !== undefined && scope.wants(namedFile(path));
      if (!isMeant || Date.now() - begun < DAY_MS) continue;
      if (isClean) await uploads.abandon(upload, signal);
      yield {
        event: 'finding',
        kind: isClean ? 'removed' : 'stale',
        path,
        message: `${path}: an upload that was begun on ${formatDay(dayOfMs(begun))} and never ended`,
      };
    }
  }
}
