import { addDays, formatDay } from '../dataset/day.js';
import type { Coverage, CoverageTotals, DayState, SeriesCounts, SeriesCoverage } from './coverage-facts.js';
import { splitIntoRuns } from './state-runs.js';

/** Coverage as one JSON document (`docs/reference/coverage.md#json`). */
export interface CoverageDocument {
  readonly totals: CoverageTotals;
  readonly series: readonly SeriesJson[];
}

/** UTC days, `YYYY-MM-DD`. As in the flags, `to` is exclusive. */
export interface DayRangeJson {
  readonly from: string;
  readonly to: string;
}

/** Coverage of one series. */
export interface SeriesJson extends DayRangeJson, SeriesCounts {
  readonly emptyDays: readonly DayRangeJson[];
  readonly missingDays: readonly DayRangeJson[];
}

/** Converts coverage to its JSON document. */
export function toCoverageDocument({ totals, series }: Coverage): CoverageDocument {
  return { totals, series: series.map(toSeriesJson) };
}

function toSeriesJson(series: SeriesCoverage): SeriesJson {
  const { exchange, dataType, symbol, states, present, empty, missing, gone, rows, bytes, outdated } = series;
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
  };
}

function listRanges(series: SeriesCoverage, state: DayState): readonly DayRangeJson[] {
  return splitIntoRuns(series.states)
    .filter((run) => run.state === state)
    .map(({ start, days }) => toRange(series, start, days));
}

function toRange({ first }: SeriesCoverage, start: number, days: number): DayRangeJson {
  return { from: formatDay(addDays(first, start)), to: formatDay(addDays(first, start + days)) };
}
