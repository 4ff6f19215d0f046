import { ERROR_TABLE, type TickhaulError } from '../base/errors.js';
import { toFileError } from '../base/file-error.js';
import type { FileStatus, JobSummary, RunSummary } from '../run/run-events.js';
import { endsRun, runExitCode } from '../run/run-tally.js';

/** One summary for all jobs. @param late why the export that was waited for didn't come. */
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
  const total = (key: 'bytes' | 'unfinished'): number => jobs.reduce((sum, job) => sum + job[key], 0);
  // What ended one job for everybody's sake ended the run.
  const ended = jobs.map(({ error }) => error).find((error) => error && endsRun(error.code));
  const error = ended ?? (late && toFileError(late));
  const reasons = jobs.filter((job) => !isOutOfTimeOnly(job)).map(({ exitCode }) => exitCode);
  return {
    exitCode: runExitCode([...reasons, late?.exitCode ?? 0], ended?.code),
    counts,
    unfinished: total('unfinished'),
    bytes: total('bytes'),
    seconds,
    ...(error && { error }),
    jobs,
  };
}

/** Whether a job has files left, and none that failed. */
function isOutOfTimeOnly({ error, exitCode, counts }: JobSummary): boolean {
  const isOfTime = error?.code === 'out_of_time' && exitCode === ERROR_TABLE.out_of_time.exitCode;
  return isOfTime && !counts.failed;
}
