import {
  ERROR_TABLE,
  type ErrorCode,
  type FileError,
  judgeError,
  type TickhaulError,
  toFileError,
} from '../base/errors.js';
import { plural } from '../base/units.js';
import type { SummaryJson } from './json-events.js';
import type {
  FileEvent,
  FileStatus,
  FindingEvent,
  FindingKind,
  LeftOutRule,
  RowCounts,
  RunEvent,
  RunSummary,
} from './run-events.js';

/** Counts the results of a run's files and computes its exit code. */
export interface RunTally {
  add(event: FileEvent): void;
  /** Adds an output with its own event, which is not one of the planned files. */
  addOutput(event: FileEvent): void;
  /** @param failure error code, if the finding makes the run fail. */
  addFinding(event: FindingEvent, failure?: ErrorCode): void;
  summary(input: {
    /** Number of planned files; undefined if the run ended before they were counted. */
    readonly planned: { readonly files: number } | undefined;
    /** Why the run ended early. */
    readonly stopped: TickhaulError | undefined;
    /** Whether pending and unavailable files are failures. */
    readonly strict: boolean;
    /** Why days are unauthorized. */
    readonly keyProblem?: KeyProblem | undefined;
    readonly seconds: number;
  }): RunSummary;
}

/** Statuses of files that the run downloaded or wrote. */
const COMPLETED_STATUSES: ReadonlySet<FileStatus> = new Set(['downloaded', 'converted', 'repaired']);

/** Statuses of day files whose rows the run counted. */
const COUNTED_STATUSES: ReadonlySet<FileStatus> = new Set(['downloaded', 'verified', 'repaired']);

export function createRunTally(): RunTally {
  const counts: Partial<Record<FileStatus, number>> = {};
  const findings: Partial<Record<FindingKind, number>> = {};
  const failures = new Set<number>();
  const failedFindings = new Map<FindingKind, ErrorCode>();
  let files = 0;
  let bytes = 0;
  let outdated = 0;
  let dayFileRows: RowCounts | undefined;
  let empty = 0;
  const count = (event: FileEvent): void => {
    counts[event.status] = (counts[event.status] ?? 0) + 1;
    if (COMPLETED_STATUSES.has(event.status)) bytes += event.bytes ?? 0;
    if (event.outdated) outdated++;
    dayFileRows = addRowCounts(dayFileRows, event.dayFileRows);
    if (COUNTED_STATUSES.has(event.status) && event.rows === 0 && event.source === undefined) empty++;
    if (event.error) failures.add(ERROR_TABLE[event.error.code].exitCode);
  };
  return {
    add(event) {
      files++;
      count(event);
    },
    addOutput: count,
    addFinding({ kind }, failure) {
      findings[kind] = (findings[kind] ?? 0) + 1;
      if (failure) failedFindings.set(kind, failure);
    },
    summary({ planned, stopped, strict, keyProblem, seconds }) {
      const reasons = [
        ...findReasonsInCounts(counts, strict, keyProblem),
        ...[...failedFindings].map(([kind, code]) => describeFindings(kind, findings[kind] ?? 0, code)),
      ];
      const exitCodes = [...failures, ...reasons.map(({ code }) => ERROR_TABLE[code].exitCode)];
      return {
        exitCode: runExitCode(exitCodes, stopped?.code),
        counts,
        ...(reasons.length > 0 && { reasons }),
        ...(Object.keys(findings).length > 0 && { findings }),
        ...(outdated > 0 && { outdated }),
        ...(empty > 0 && { empty }),
        unfinished: planned ? planned.files - files : 0,
        bytes,
        ...(dayFileRows && { dayFileRows }),
        seconds,
        ...(stopped && { error: toFileError(stopped) }),
      };
    },
  };
}

/**
 * The sum of the summaries of a run's parts. Its error is the one that ended the run, whichever part had it; errors of
 * single parts are in their own summaries.
 * @param failure exit code of a failure of the run that is none of its parts'.
 */
export function mergeSummaries(parts: readonly RunSummary[], failure = 0): Omit<RunSummary, 'seconds'> {
  const counts: Partial<Record<FileStatus, number>> = {};
  for (const part of parts) {
    for (const [status, count] of Object.entries(part.counts) as [FileStatus, number][])
      counts[status] = (counts[status] ?? 0) + count;
  }
  const total = (key: 'bytes' | 'unfinished' | 'empty'): number =>
    parts.reduce((sum, part) => sum + (part[key] ?? 0), 0);
  const empty = total('empty');
  const dayFileRows = parts.map((part) => part.dayFileRows).reduce(addRowCounts, undefined);
  // Of two exports into one folder, the later one has written the script.
  const scripts = new Map(parts.flatMap((part) => part.scripts ?? []).map((script) => [script.path, script]));
  const error = parts.map((part) => part.error).find((each) => each && judgeError(each).endsRun);
  const exitCodes = parts.filter((part) => !isOutOfTimeOnly(part)).map(({ exitCode }) => exitCode);
  return {
    exitCode: runExitCode([...exitCodes, failure], error?.code),
    counts,
    ...(empty > 0 && { empty }),
    unfinished: total('unfinished'),
    bytes: total('bytes'),
    ...(dayFileRows && { dayFileRows }),
    ...(scripts.size > 0 && { scripts: [...scripts.values()] }),
    ...(error && { error }),
  };
}

/** The sum of both; undefined if neither is known. */
function addRowCounts(a: RowCounts | undefined, b: RowCounts | undefined): RowCounts | undefined {
  if (!a || !b) return a ?? b;
  const leftOut: Partial<Record<LeftOutRule, number>> = { ...a.leftOut };
  for (const [rule, rows] of Object.entries(b.leftOut) as [LeftOutRule, number][])
    leftOut[rule] = (leftOut[rule] ?? 0) + rows;
  return { read: a.read + b.read, written: a.written + b.written, leftOut };
}

/** Failures that no file has an error for. */
function findReasonsInCounts(
  counts: Readonly<Partial<Record<FileStatus, number>>>,
  strict: boolean,
  keyProblem: KeyProblem | undefined,
): readonly FileError[] {
  const { unauthorized = 0, pending = 0, unavailable = 0 } = counts;
  const missing = pending + unavailable;
  return [
    // Missing days that the key does not cover are failures: a nightly job must not succeed after its key has
    // expired.
    ...(unauthorized > 0
      ? [{ code: 'bad_key', message: describeUncoveredDays(unauthorized, keyProblem) } as const]
      : []),
    ...(strict && missing > 0 ? [describeRequiredDays(missing)] : []),
  ];
}

/** The failure of all findings of a kind: `extra` or `gap`. */
function describeFindings(kind: FindingKind, count: number, code: ErrorCode): FileError {
  const message =
    kind === 'gap'
      ? `${plural(count, 'gap')} of missing days within a series, and --strict requires them`
      : `${plural(count, 'day file')} that the lock file does not name`;
  return { code, message };
}

/**
 * The exit code of a run (docs/reference/exit-codes.md#a-run-that-ends-early).
 * @param failures exit codes of the failed files or jobs.
 * @param stopped why the run ended early.
 */
export function runExitCode(failures: Iterable<number>, stopped: ErrorCode | undefined): number {
  if (stopped === undefined) return commonExitCode(failures);
  const { exitCode } = ERROR_TABLE[stopped];
  // The user's time limit is not the failure of a file, and must not hide one.
  if (stopped === 'out_of_time') return commonExitCode(failures) || exitCode;
  return judgeError({ code: stopped }).endsRun ? exitCode : commonExitCode([...failures, exitCode]);
}

/** Whether a run or job ended early for its time limit, and none of its files failed. */
function isOutOfTimeOnly({ error, exitCode, counts }: RunSummary): boolean {
  const isOutOfTime = error?.code === 'out_of_time' && exitCode === ERROR_TABLE.out_of_time.exitCode;
  return isOutOfTime && !counts.failed;
}

/** 0 without failures, their exit code if they share one, else 3 (docs/spec/command-line.md#exit-codes). */
function commonExitCode(exitCodes: Iterable<number>): number {
  const distinct = new Set(exitCodes);
  distinct.delete(0);
  const [only = 0] = distinct;
  return distinct.size > 1 ? ERROR_TABLE.mixed.exitCode : only;
}

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
interface FailureTracker {
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
