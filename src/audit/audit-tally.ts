import { ERROR_TABLE, type TickhaulError, toFileError } from '../base/errors.js';
import { plural } from '../base/units.js';
import type { AuditedDay, DayCondition } from '../events/audited-day.js';
import type { RunSummary } from '../events/run-events.js';
import { runExitCode } from '../events/run-tally.js';
import { findFailedChecks } from './judge-day.js';

/** Counts the conditions of days and computes the exit code of an audit. */
export class AuditTally {
  readonly #failOn: ReadonlySet<string>;
  readonly #days: Partial<Record<DayCondition, number>> = {};
  readonly #failures = new Set<number>();
  #failedDays = 0;

  /** @param failOn names of conditions and checks. */
  constructor(failOn: ReadonlySet<string>) {
    this.#failOn = failOn;
  }

  add({ condition, checks = {}, error }: AuditedDay): void {
    this.#days[condition] = (this.#days[condition] ?? 0) + 1;
    if (error) this.#failures.add(ERROR_TABLE[error.code].exitCode);
    const names = this.#failOn.size > 0 ? [condition, ...findFailedChecks(checks)] : [];
    if (names.some((name) => this.#failOn.has(name))) this.#failedDays++;
  }

  /**
   * @param stopped why the run ended early. @param unfinished days without a verdict.
   * @param bytes compressed bytes that the run read.
   */
  summary(input: {
    readonly stopped: TickhaulError | undefined;
    readonly unfinished: number;
    readonly bytes: number;
    readonly seconds: number;
  }): RunSummary {
    const { stopped, unfinished, bytes, seconds } = input;
    const exitCode = runExitCode(this.#failures, stopped?.code);
    const summary = { counts: {}, days: this.#days, unfinished, bytes, seconds };
    if (stopped) return { ...summary, exitCode, error: toFileError(stopped) };
    if (exitCode !== 0 || this.#failedDays === 0) return { ...summary, exitCode };
    const names = [...this.#failOn].join(', ');
    const message = `${plural(this.#failedDays, 'day')} with a condition or a failed check among: ${names}`;
    return {
      ...summary,
      exitCode: ERROR_TABLE.audit_failed.exitCode,
      error: { code: 'audit_failed', message },
    };
  }
}
