import { ERROR_TABLE, type ErrorCode, type TickhaulError, toFileError } from '../base/errors.js';
import { compareTexts } from '../base/text.js';
import { plural } from '../base/units.js';
import {
  type AuditedDay,
  DAY_CONDITIONS,
  type DayCondition,
  type FailedDay,
  type FailedSeries,
  type GoodDays,
  type SeriesNames,
} from '../events/audited-day.js';
import type { RunSummary } from '../events/run-events.js';
import { runExitCode } from '../events/run-tally.js';
import { findFailedChecks, toSeriesKey } from './judge-day.js';

/** What the good days depend on. */
export type DayVerdict = Pick<
  AuditedDay,
  'exchange' | 'dataType' | 'symbol' | 'date' | 'condition' | 'reasons'
>;

type Judgement = Pick<AuditedDay, 'condition' | 'reasons'>;

/** Of all available days, since there may be a million. */
const AVAILABLE: Judgement = { condition: 'available', reasons: [] };
const MISSING: Judgement = { condition: 'missing', reasons: [] };

/**
 * Finds the days that are available for all series: the intersection of their available days. A day for which a series
 * has no verdict is missing there. Of several files of a day, the one with the worst condition counts.
 */
export class GoodDaysTally {
  /** By key, as are the verdicts of each date. */
  readonly #series = new Map<string, SeriesNames>();
  readonly #dates = new Map<string, Map<string, Judgement>>();

  /** @param series series that count even without a verdict. */
  constructor(series: Iterable<SeriesNames> = []) {
    for (const names of series) this.#addSeries(names);
  }

  /** A verdict without a date counts for no day. */
  add(verdict: DayVerdict): void {
    const { date, condition, reasons } = verdict;
    if (date === '') return;
    const key = this.#addSeries(verdict);
    const judged = this.#dates.get(date) ?? new Map<string, Judgement>();
    this.#dates.set(date, judged);
    const known = judged.get(key);
    if (known && severityOf(known.condition) >= severityOf(condition)) return;
    judged.set(key, condition === 'available' ? AVAILABLE : { condition, reasons });
  }

  result(): GoodDays {
    const series = [...this.#series].sort(([a], [b]) => compareTexts(a, b));
    const days: string[] = [];
    const otherDays: FailedDay[] = [];
    for (const [date, judged] of [...this.#dates].sort(([a], [b]) => compareTexts(a, b))) {
      const failed = series.flatMap(([key, names]): readonly FailedSeries[] => {
        const { condition, reasons } = judged.get(key) ?? MISSING;
        return condition === 'available' ? [] : [{ ...names, condition, reasons }];
      });
      if (failed.length === 0) days.push(date);
      else otherDays.push({ date, series: failed });
    }
    return { series: series.map(([, names]) => names), days, otherDays };
  }

  #addSeries({ exchange, dataType, symbol }: SeriesNames): string {
    const names = { exchange, dataType, symbol };
    const key = toSeriesKey(names);
    if (!this.#series.has(key)) this.#series.set(key, names);
    return key;
  }
}

function severityOf(condition: DayCondition): number {
  return DAY_CONDITIONS.indexOf(condition);
}

/** How many days are good, and of how many series. */
export function describeGoodDays({ series, days, otherDays }: GoodDays): string {
  const all = plural(days.length + otherDays.length, 'day');
  return `${days.length} of ${all} are available for ${nameAll(series)}`;
}

function nameAll({ length }: GoodDays['series']): string {
  return length === 1 ? 'the only series' : `all ${length} series`;
}

/** Error of a run without a good day. */
export function describeNoGoodDay({ series, otherDays }: GoodDays): string {
  const [first] = otherDays;
  if (!first) return 'good days: the selected series have no day; select other series or days';
  return `good days: none of ${plural(otherDays.length, 'day')} is available for ${nameAll(series)} (${first.date}: ${describeFailedDay(first)}); run tickhaul audit --good --json for all reasons`;
}

/** Number of series that the text about a day names. */
const MAX_NAMED_SERIES = 2;

/** Which series fail on a day, and by what: `deribit trades BTC degraded (gap), and 2 other series`. */
export function describeFailedDay({ series }: FailedDay): string {
  const texts = series
    .slice(0, MAX_NAMED_SERIES)
    .map(({ exchange, dataType, symbol, condition, reasons }) => {
      const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
      return `${exchange} ${dataType} ${symbol} ${condition}${why}`;
    });
  const others = series.length - texts.length;
  return others === 0 ? texts.join(', ') : `${texts.join(', ')}, and ${others} other series`;
}

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
