import { ERROR_TABLE, type ErrorCode, type TickhaulError, toFileError } from '../base/errors.js';
import { plural } from '../base/units.js';
import type { AuditedDay, DayCondition } from '../events/audited-day.js';
import type { RunSummary } from '../events/run-events.js';
import { runExitCode } from '../events/run-tally.js';
import { describeNoGoodDay, type GoodDaysTally } from './good-days.js';
import { findFailedChecks } from './judge-day.js';

/** Counts the conditions of days and computes the exit code of an audit. */
export class AuditTally {
  readonly #failOn: ReadonlySet<string>;
  readonly #goodDays: GoodDaysTally | undefined;
  readonly #days: Partial<Record<DayCondition, number>> = {};
  readonly #failures = new Set<number>();
  #failedDays = 0;

  /** @param failOn names of conditions and checks. @param goodDays undefined if nobody asks for them. */
  constructor(failOn: ReadonlySet<string>, goodDays?: GoodDaysTally) {
    this.#failOn = failOn;
    this.#goodDays = goodDays;
  }

  add(day: AuditedDay): void {
    const { condition, checks = {}, error } = day;
    this.#goodDays?.add(day);
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
    const judged = { counts: {}, days: this.#days, unfinished, bytes, seconds };
    if (stopped) return { ...judged, exitCode, error: toFileError(stopped) };
    const goodDays = this.#goodDays?.result();
    const summary = { ...judged, ...(goodDays && { goodDays }) };
    const fail = (code: ErrorCode, message: string): RunSummary => ({
      ...summary,
      exitCode: ERROR_TABLE[code].exitCode,
      error: { code, message },
    });
    if (exitCode !== 0) return { ...summary, exitCode };
    if (this.#failedDays > 0) {
      const names = [...this.#failOn].join(', ');
      const days = plural(this.#failedDays, 'day');
      return fail('audit_failed', `${days} with a condition or a failed check among: ${names}`);
    }
    if (goodDays?.days.length === 0) return fail('unavailable', describeNoGoodDay(goodDays));
    return { ...summary, exitCode };
  }
}
