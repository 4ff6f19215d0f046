import { addDays, type Day, formatDay } from '../../day-files/day.js';
import {
  type AuditCounts,
  type Coverage,
  type CoverageTotals,
  type DayState,
  type SeriesCounts,
  type SeriesCoverage,
  splitIntoSpans,
} from './coverage-facts.js';

/** Counts of audits are absent if no day was audited. */
type Unaudited<T extends AuditCounts> = Omit<T, keyof AuditCounts> & Partial<AuditCounts>;

/** Coverage as one JSON document (`docs/reference/coverage.md#json`). */
export interface CoverageDocument {
  readonly totals: Unaudited<CoverageTotals>;
  readonly series: readonly SeriesJson[];
}

/** UTC days, `YYYY-MM-DD`. As in the flags, `to` is exclusive. */
export interface DayRangeJson {
  readonly from: string;
  readonly to: string;
}

/** Coverage of one series. */
export interface SeriesJson extends DayRangeJson, Unaudited<SeriesCounts> {
  readonly emptyDays: readonly DayRangeJson[];
  readonly missingDays: readonly DayRangeJson[];
  /** Days that the last audit judged degraded; absent if none was audited. */
  readonly degradedDays?: readonly DayRangeJson[] | undefined;
}

/** Converts coverage to its JSON document. */
export function toCoverageDocument({ totals, series }: Coverage): CoverageDocument {
  const { audited, degraded, ...others } = totals;
  return {
    totals: { ...others, ...(audited > 0 && { audited, degraded }) },
    series: series.map(toSeriesJson),
  };
}

function toSeriesJson(series: SeriesCoverage): SeriesJson {
  const { exchange, dataType, symbol, states, present, empty, missing, gone, rows, bytes, outdated } = series;
  const { audited, degraded, degradedDays } = series;
  return {
    exchange,
    dataType,
    symbol,
    ...toRange(series, 0, states.length),
    present,
    empty,
    missing,
    gone,
    rows,
    bytes,
    outdated,
    emptyDays: listRanges(series, 'e'),
    missingDays: listRanges(series, 'm'),
    ...(audited > 0 && { audited, degraded, degradedDays: groupDays(degradedDays.map(({ day }) => day)) }),
  };
}

/** Ranges of successive days. @param days ascending. */
function groupDays(days: readonly Day[]): readonly DayRangeJson[] {
  const firsts = days.filter((day, i) => day - 1 !== days[i - 1]);
  const lasts = days.filter((day, i) => day + 1 !== days[i + 1]);
  return firsts.map((day, i) => ({ from: formatDay(day), to: formatDay(addDays(lasts[i] as Day, 1)) }));
}

function listRanges(series: SeriesCoverage, state: DayState): readonly DayRangeJson[] {
  return splitIntoSpans(series.states)
    .filter((run) => run.state === state)
    .map(({ start, days }) => toRange(series, start, days));
}

function toRange({ first }: SeriesCoverage, start: number, days: number): DayRangeJson {
  return { from: formatDay(addDays(first, start)), to: formatDay(addDays(first, start + days)) };
}
