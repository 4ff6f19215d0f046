import type { FileError } from '../base/errors.js';
import { ERROR_TABLE } from '../base/errors.js';
import { plural } from '../base/units.js';
import type { SummaryJson } from './json-events.js';
import type { RunEvent, RunSummary } from './run-events.js';

/** Why the configured API key covers no day but the free ones. */
export type KeyProblem = 'missing' | 'expired';

/** Says which days were not requested for lack of a key, and what to do. @param count of day files. */
export function describeUncoveredDays(count: number, problem: KeyProblem | undefined): string {
  const days = `${plural(count, 'day')} ${count === 1 ? 'needs' : 'need'} an API key`;
  const free = 'the first day of each month is free';
  if (problem === 'missing') return `${days}, and none is set: set TICKHAUL_API_KEY; ${free}`;
  if (problem === 'expired') return `${days}, and yours has expired: renew it, or set another; ${free}`;
  return `${days} that covers them, and yours does not: tickhaul key shows what it covers`;
}

/** The reason of a run with `strict`. */
export function describeRequiredDays(count: number): FileError {
  return {
    code: 'not_exported',
    message: `${plural(count, 'day file')} pending or unavailable, and --strict requires them`,
  };
}

/** Why a run failed or ended early, each message once: its errors, those of its jobs, and its other reasons. */
export function collectErrors({
  error,
  reasons = [],
  jobs = [],
}: Pick<RunSummary | SummaryJson, 'error' | 'reasons' | 'jobs'>): readonly FileError[] {
  const errors = [...[...jobs].map((job) => job.error), error, ...reasons].filter(
    (each) => each !== undefined,
  );
  return [...new Map(errors.map((each) => [each.message, each])).values()];
}

/** Records the failed files of a run, whose errors are its reasons. */
export interface FailureTracker {
  record(event: RunEvent): void;
  /** The failed files in one line; undefined if no file failed. */
  describeFailedFiles(exitCode: number): FileError | undefined;
  /** The reason that set the exit code of a failed run. */
  findReason(summary: SummaryJson): FileError;
}

export function createFailureTracker(): FailureTracker {
  /** The first failure of each exit code. */
  const firstByExitCode = new Map<number, FileError>();
  let count = 0;
  const describeFailedFiles = (exitCode: number): FileError | undefined => {
    const error = firstByExitCode.get(exitCode);
    if (error)
      return count === 1
        ? error
        : { ...error, message: `${formatFailedCount(count)}, such as ${error.message}` };
    const [first] = firstByExitCode.values();
    return (
      first && {
        code: 'mixed',
        message: `${formatFailedCount(count)}, for several reasons, such as ${first.message}`,
      }
    );
  };
  return {
    record(event) {
      if ((event.event !== 'file' && event.event !== 'day') || !event.error) return;
      count++;
      const { exitCode } = ERROR_TABLE[event.error.code];
      if (!firstByExitCode.has(exitCode))
        firstByExitCode.set(
          exitCode,
          withPath(event.error, ('source' in event ? event.source : undefined) ?? event.path ?? ''),
        );
    },
    describeFailedFiles,
    findReason(summary) {
      const { exitCode, jobs = [] } = summary;
      if (summary.error && ERROR_TABLE[summary.error.code].exitCode === exitCode) return summary.error;
      const jobError = jobs.find((job) => job.error && job.exitCode === exitCode)?.error;
      if (jobError) return jobError;
      const failed = describeFailedFiles(exitCode);
      if (failed && failed.code !== 'mixed') return failed;
      const errors = collectErrors(summary);
      const reason = errors.find(({ code }) => ERROR_TABLE[code].exitCode === exitCode);
      return reason ?? failed ?? { code: 'mixed', message: errors.map(({ message }) => message).join('; ') };
    },
  };
}

function withPath(error: FileError, path: string): FileError {
  return error.message.startsWith(path) ? error : { ...error, message: `${path}: ${error.message}` };
}

function formatFailedCount(count: number): string {
  return `${plural(count, 'file')} failed`;
}
