import { ERROR_TABLE, type ErrorCode, type TickhaulError } from '../base/errors.js';
import { toFileError } from '../base/file-error.js';
import type { FileEvent, FileStatus, FindingEvent, FindingKind, RunSummary } from './run-events.js';

/** Counts what became of the files of a run, and works out its exit code. */
export interface RunTally {
  add(event: FileEvent): void;
  /** Of something made of a day file that is told by itself: it is none of the files that were planned. */
  addOutput(event: FileEvent): void;
  /** @param failure what the finding makes of the run, where it is a failure. */
  addFinding(event: FindingEvent, failure?: ErrorCode): void;
  summary(input: {
    /** Files the plan meant to look at; undefined when the run ended before they were counted. */
    readonly planned: { readonly files: number } | undefined;
    /** Why the run ended early. */
    readonly stopped: TickhaulError | undefined;
    /** Whether pending and unavailable files are failures. */
    readonly strict: boolean;
    readonly seconds: number;
  }): RunSummary;
}

/** Statuses of files that a run brought or made. */
const COMPLETED_STATUSES: ReadonlySet<FileStatus> = new Set(['downloaded', 'converted', 'repaired']);

export function createRunTally(): RunTally {
  const counts: Partial<Record<FileStatus, number>> = {};
  const findings: Partial<Record<FindingKind, number>> = {};
  const failures = new Set<number>();
  let files = 0;
  let bytes = 0;
  let outdated = 0;
  const count = (event: FileEvent): void => {
    counts[event.status] = (counts[event.status] ?? 0) + 1;
    if (COMPLETED_STATUSES.has(event.status)) bytes += event.bytes ?? 0;
    if (event.outdated) outdated++;
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
      if (failure) failures.add(ERROR_TABLE[failure].exitCode);
    },
    summary({ planned, stopped, strict, seconds }) {
      return {
        exitCode: exitCodeOf(reasonsOf(failures, counts, strict), stopped?.code),
        counts,
        ...(Object.keys(findings).length > 0 && { findings }),
        ...(outdated > 0 && { outdated }),
        unfinished: planned ? planned.files - files : 0,
        bytes,
        seconds,
        ...(stopped && { error: toFileError(stopped) }),
      };
    },
  };
}

/** The exit codes of what failed. */
function reasonsOf(
  failures: ReadonlySet<number>,
  counts: Readonly<Partial<Record<FileStatus, number>>>,
  strict: boolean,
): ReadonlySet<number> {
  const reasons = new Set(failures);
  // Exported days that were asked for and are missing: a night's job that lost its key must not look well.
  if (counts.unauthorized) reasons.add(ERROR_TABLE.bad_key.exitCode);
  if (strict && (counts.pending || counts.unavailable)) reasons.add(ERROR_TABLE.not_exported.exitCode);
  return reasons;
}

/**
 * The exit code of a run (docs/reference/exit-codes.md, A run that ends early).
 * @param reasons exit codes of the files, or jobs, that failed.
 * @param stopped why the run ended early.
 */
export function exitCodeOf(reasons: Iterable<number>, stopped: ErrorCode | undefined): number {
  if (stopped === undefined) return commonExitCode(reasons);
  const { exitCode } = ERROR_TABLE[stopped];
  // The user's own limit is no failure of a file, and hides none.
  if (stopped === 'out_of_time') return commonExitCode(reasons) || exitCode;
  return endsRun(stopped) ? exitCode : commonExitCode([...reasons, exitCode]);
}

/** Whether what stopped a run, or a job of it, concerns all files: a lock is lost for all of them. */
export function endsRun(stopped: ErrorCode): boolean {
  return ERROR_TABLE[stopped].everyone || stopped === 'locked';
}

/** One common reason names the code, several are 3, none is 0 (contract, Exit codes). */
export function commonExitCode(codes: Iterable<number>): number {
  const reasons = new Set(codes);
  reasons.delete(0);
  const [only = 0] = reasons;
  return reasons.size > 1 ? ERROR_TABLE.mixed.exitCode : only;
}
