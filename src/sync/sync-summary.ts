import type { TickhaulError } from '../base/errors.js';
import { toFileError } from '../base/errors.js';
import { judgeError } from '../base/judge-error.js';
import type { FileStatus, JobSummary, RunSummary } from '../events/run-events.js';
import { isOutOfTimeOnly, runExitCode } from '../events/run-tally.js';

/** One summary of all jobs. @param late the error if an awaited day was not exported in time. */
export function createSyncSummary(
  jobs: readonly JobSummary[],
  late: TickhaulError | undefined,
  seconds: number,
): RunSummary {
  const counts: Partial<Record<FileStatus, number>> = {};
  for (const job of jobs) {
    for (const [status, count] of Object.entries(job.counts) as [FileStatus, number][]) {
      counts[status] = (counts[status] ?? 0) + count;
    }
  }
  const total = (key: 'bytes' | 'unfinished' | 'empty'): number =>
    jobs.reduce((sum, job) => sum + (job[key] ?? 0), 0);
  const empty = total('empty');
  // An error that affects the whole run ended it, whichever job met it.
  const runError = jobs.map(({ error }) => error).find((error) => error && judgeError(error).endsRun);
  const error = runError ?? (late && toFileError(late));
  const reasons = jobs.flatMap(({ name, reasons: ofJob = [] }) =>
    ofJob.map((reason) => ({ ...reason, message: `${name}: ${reason.message}` })),
  );
  const exitCodes = jobs.filter((job) => !isOutOfTimeOnly(job)).map(({ exitCode }) => exitCode);
  return {
    exitCode: runExitCode([...exitCodes, late?.exitCode ?? 0], runError?.code),
    counts,
    ...(empty > 0 && { empty }),
    unfinished: total('unfinished'),
    bytes: total('bytes'),
    seconds,
    ...(error && { error }),
    ...(reasons.length > 0 && { reasons }),
    jobs,
  };
}
