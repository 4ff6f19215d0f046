import { ERROR_TABLE } from '../../base/errors.js';
import { DAY_FILE_EXTENSION } from '../../dataset/day-file.js';
import type { EventSink, RunSummary } from '../../run/run-events.js';
import { commonExitCode } from '../../run/run-tally.js';
import type { Destination } from '../../store/destination.js';

export interface ExtrasInput {
  readonly destination: Destination;
  /** The expected paths. */
  readonly expectedPaths: { has(path: string): boolean };
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Reports day files that a lock file does not name, and fails if there are any: they would change results that must be
 * the same everywhere. No file is removed.
 * @throws TickhaulError `disk`; the reason of an abort.
 */
export async function reportExtraFiles(
  summary: RunSummary,
  { destination, expectedPaths, emit, signal }: ExtrasInput,
): Promise<RunSummary> {
  let extra = 0;
  for await (const files of destination.list('', signal)) {
    for (const { path } of files) {
      if (!path.endsWith(DAY_FILE_EXTENSION) || expectedPaths.has(path)) continue;
      extra++;
      emit({ event: 'finding', kind: 'extra', path, message: `${path}: the lock file does not name it` });
    }
  }
  if (extra === 0) return summary;
  const exitCode = commonExitCode([summary.exitCode, ERROR_TABLE.changed.exitCode]);
  return { ...summary, exitCode, findings: { extra } };
}
