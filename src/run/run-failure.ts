import { isSystemError, TickhaulError, toDiskError } from '../base/errors.js';
import type { FileError } from '../base/file-error.js';
import { sanitizeForTerminal } from '../base/sanitize-for-terminal.js';
import { secondsSince } from '../base/units.js';
import { BUGS_URL } from '../base/version.js';
import type { RunSummary } from './run-events.js';

/** What a run that threw says and ends with. */
export interface RunFailure {
  readonly exitCode: number;
  readonly error: FileError;
}

/** Any thrown value as a message of one line: an error that tickhaul can name, or a bug. */
export function toRunFailure(error: unknown): RunFailure {
  // Any call may run out of file handles, and any module that is loaded late.
  const thrown = isOutOfFiles(error) ? toDiskError(error, error.path ?? 'a file') : error;
  if (thrown instanceof TickhaulError) {
    const { code, message, status, exitCode } = thrown;
    return {
      exitCode,
      error: { code, message: oneLine(message), ...(status === undefined ? {} : { status }) },
    };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    exitCode: 1,
    error: {
      code: 'bug',
      message: `a bug in tickhaul: ${oneLine(message)}; please report it${BUGS_URL === undefined ? '' : ` at ${BUGS_URL}`}, with what --verbose prints`,
    },
  };
}

function isOutOfFiles(error: unknown): error is NodeJS.ErrnoException {
  return isSystemError(error) && ['EMFILE', 'ENFILE'].includes(error.code);
}

/** The stack of a bug; undefined for an error that tickhaul can name. */
export function bugStack(thrown: unknown): string | undefined {
  return thrown instanceof Error && !(thrown instanceof TickhaulError) ? thrown.stack : undefined;
}

/** The summary of a run that threw instead of ending with one. @param started a reading of `performance.now()`. */
export function createFailedSummary({ exitCode, error }: RunFailure, started: number): RunSummary {
  return { exitCode, counts: {}, unfinished: 0, bytes: 0, seconds: secondsSince(started), error };
}

function oneLine(message: string): string {
  return sanitizeForTerminal(message.replace(/\s*[\r\n]+\s*/g, ' ').trim());
}
