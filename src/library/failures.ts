import { ERRORS } from '../base/errors.js';
import type { FileError } from '../base/file-error.js';
import { plural } from '../base/units.js';
import type { RunEvent } from '../run/events.js';
import type { CountsJson, SummaryJson } from '../run/json.js';
import { TickhaulError } from './error.js';

/** Remembers of a run's files what its error needs in order to say why it failed. */
export interface Failures {
  see(event: RunEvent): void;
  /** @param summary with an exit code that isn't 0. */
  error(summary: SummaryJson, cause: unknown): TickhaulError;
}

export function createFailures(): Failures {
  /** The first failure of each exit code. */
  const first = new Map<number, FileError>();
  let count = 0;
  return {
    see(event) {
      if (event.event !== 'file' || !event.error) return;
      count++;
      const { exitCode } = ERRORS[event.error.code];
      if (!first.has(exitCode)) first.set(exitCode, named(event.error, event.source ?? event.path));
    },
    error: (summary, cause) => new TickhaulError(reasonOf(summary, first, count), summary, cause),
  };
}

function named(error: FileError, path: string): FileError {
  return error.message.startsWith(path) ? error : { ...error, message: `${path}: ${error.message}` };
}

/** Why the run ended early, where that gave it its exit code; else what its files failed for. */
function reasonOf(summary: SummaryJson, first: ReadonlyMap<number, FileError>, count: number): FileError {
  const { exitCode, jobs = [] } = summary;
  if (summary.error && ERRORS[summary.error.code].exitCode === exitCode) return summary.error;
  const ofJob = jobs.find((job) => job.error && job.exitCode === exitCode)?.error;
  if (ofJob) return ofJob;
  const error = first.get(exitCode);
  if (error) return count === 1 ? error : { ...error, message: `${failed(count)}, such as ${error.message}` };
  return (
    reasonOfCounts(summary) ?? {
      code: 'mixed',
      message: `${failed(count)}, for several reasons${such(first)}`,
    }
  );
}

/** Runs may fail although none of their files did. */
function reasonOfCounts({
  exitCode,
  unauthorized = 0,
  pending = 0,
  unavailable = 0,
  gap = 0,
  extra = 0,
}: CountsJson): FileError | undefined {
  switch (exitCode) {
    case ERRORS.bad_key.exitCode:
      return {
        code: 'bad_key',
        message: `${plural(unauthorized, 'day file')} that no API key covers; set a key that does`,
      };
    case ERRORS.not_exported.exitCode:
      return {
        code: 'not_exported',
        message:
          gap > 0
            ? 'days are missing within a series, and strict asks for them'
            : `${plural(pending + unavailable, 'day file')} pending or unavailable, and strict asks for them`,
      };
    case ERRORS.changed.exitCode:
      return { code: 'changed', message: `${plural(extra, 'day file')} that the lock file does not name` };
    default:
      return undefined;
  }
}

function failed(count: number): string {
  return `${plural(count, 'file')} failed`;
}

function such(first: ReadonlyMap<number, FileError>): string {
  const [error] = first.values();
  return error ? `, such as ${error.message}` : '';
}
