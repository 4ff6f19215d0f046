import { ERROR_TABLE } from '../base/errors.js';
import type { FileError } from '../base/file-error.js';
import { plural } from '../base/units.js';
import type { CountsJson, SummaryJson } from '../run/json-events.js';
import type { RunEvent } from '../run/run-events.js';
import { LibraryError } from './library-error.js';

/** Records the failed files of a run, for the message of the run's error. */
export interface FailureTracker {
  record(event: RunEvent): void;
  /** @param summary of a run whose exit code is not 0. */
  createError(summary: SummaryJson, cause: unknown): LibraryError;
}

export function createFailureTracker(): FailureTracker {
  /** The first failure of each exit code. */
  const firstByExitCode = new Map<number, FileError>();
  let count = 0;
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
    createError: (summary, cause) =>
      new LibraryError(findReason(summary, firstByExitCode, count), summary, cause),
  };
}

function withPath(error: FileError, path: string): FileError {
  return error.message.startsWith(path) ? error : { ...error, message: `${path}: ${error.message}` };
}

/** The reason that set the exit code: the error that ended the run or a job early, else the failed files. */
function findReason(
  summary: SummaryJson,
  firstByExitCode: ReadonlyMap<number, FileError>,
  count: number,
): FileError {
  const { exitCode, jobs = [] } = summary;
  if (summary.error && ERROR_TABLE[summary.error.code].exitCode === exitCode) return summary.error;
  const jobError = jobs.find((job) => job.error && job.exitCode === exitCode)?.error;
  if (jobError) return jobError;
  const error = firstByExitCode.get(exitCode);
  if (error)
    return count === 1
      ? error
      : { ...error, message: `${formatFailedCount(count)}, such as ${error.message}` };
  return (
    findReasonInCounts(summary) ?? {
      code: 'mixed',
      message: `${formatFailedCount(count)}, for several reasons${formatExample(firstByExitCode)}`,
    }
  );
}

/** The reason of a run that failed although no file did. */
function findReasonInCounts({
  exitCode,
  unauthorized = 0,
  pending = 0,
  unavailable = 0,
  gap = 0,
  extra = 0,
}: CountsJson): FileError | undefined {
  switch (exitCode) {
    case ERROR_TABLE.bad_key.exitCode:
      return {
        code: 'bad_key',
        message: `${plural(unauthorized, 'day file')} that no API key covers; set a key that does`,
      };
    case ERROR_TABLE.not_exported.exitCode:
      return {
        code: 'not_exported',
        message:
          gap > 0
            ? 'days are missing within a series, and strict requires them'
            : `${plural(pending + unavailable, 'day file')} pending or unavailable, and strict requires them`,
      };
    case ERROR_TABLE.changed.exitCode:
      return extra > 0
        ? { code: 'changed', message: `${plural(extra, 'day file')} that the lock file does not name` }
        : undefined;
    default:
      return undefined;
  }
}

function formatFailedCount(count: number): string {
  return `${plural(count, 'file')} failed`;
}

function formatExample(firstByExitCode: ReadonlyMap<number, FileError>): string {
  const [error] = firstByExitCode.values();
  return error ? `, such as ${error.message}` : '';
}
