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
import { toSeriesKey } from './judge-day.js';

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
    const series = [...this.#series].sort(compareKeys);
    const days: string[] = [];
    const otherDays: FailedDay[] = [];
    for (const [date, judged] of [...this.#dates].sort(compareKeys)) {
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

function compareKeys([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
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
