import { type FileError, isSystemError, TickhaulError, toDiskError, toPlaceError } from '../base/errors.js';
import { BUGS_URL } from '../base/packages.js';
import { sanitizeForTerminal } from '../base/text.js';
import { secondsSince } from '../base/units.js';
import type { RunSummary } from './run-events.js';

/** Error and exit code of a run that threw. */
export interface RunFailure {
  readonly exitCode: number;
  readonly error: FileError;
}

/** Converts any thrown value to an error of one line: a known error or a bug. */
export function toRunFailure(error: unknown): RunFailure {
  // Any call, and any lazily loaded module, may fail for lack of file handles.
  const thrown = isOutOfFiles(error)
    ? toDiskError(error, error.path ?? 'a file')
    : (toPlaceError(error) ?? error);
  const known =
    thrown instanceof TickhaulError
      ? thrown
      : createBugError(thrown instanceof Error ? thrown.message : String(thrown), 'its stack trace', thrown);
  const { code, message, status, exitCode } = known;
  return { exitCode, error: { code, message: toOneLine(message), ...(status !== undefined && { status }) } };
}

/** Whether an error has no code, and is no lack of file handles, of a working folder or of a home folder. */
export function isBug(error: unknown): boolean {
  return !(error instanceof TickhaulError) && !isOutOfFiles(error) && toPlaceError(error) === undefined;
}

/** @param details what the user reports with it. */
export function createBugError(message: string, details: string, cause: unknown): TickhaulError {
  const address = BUGS_URL === undefined ? '' : ` at ${BUGS_URL}`;
  return new TickhaulError(
    'bug',
    `a bug in tickhaul: ${message}; please report it${address} and include ${details}`,
    { cause },
  );
}

function isOutOfFiles(error: unknown): error is NodeJS.ErrnoException {
  return isSystemError(error) && ['EMFILE', 'ENFILE'].includes(error.code);
}

/** The stack of a bug, with that of its cause; undefined for a known error. */
export function bugStack(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !isBug(thrown)) return undefined;
  const cause = bugStack(thrown.cause);
  return cause === undefined
    ? thrown.stack
    : `${thrown.stack}
  cause: ${cause}`;
}

/** Creates the summary of a run that threw an error. @param startMs a value of `performance.now()`. */
export function createFailedSummary({ exitCode, error }: RunFailure, startMs: number): RunSummary {
  return { exitCode, counts: {}, unfinished: 0, bytes: 0, seconds: secondsSince(startMs), error };
}

function toOneLine(message: string): string {
  return sanitizeForTerminal(message.replace(/\s*[\r\n]+\s*/g, ' ').trim());
}
