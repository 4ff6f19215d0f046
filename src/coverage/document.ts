import { addDays, formatDay } from '../dataset/day.js';
import { runsOf } from './runs.js';
import type { Coverage, CoverageTotals, DayState, SeriesCoverage } from './types.js';

/** The facts as one JSON document. */
export interface CoverageDocument {
  readonly totals: CoverageTotals;
  readonly series: readonly SeriesJson[];
}

/** UTC days, `YYYY-MM-DD`; as in the flags, the day of a `to` is not included. */
export interface DayRangeJson {
  readonly from: string;
  readonly to: string;
}

/** What there is of one exchange's symbol, in one data type, over its days. */
export interface SeriesJson extends DayRangeJson {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** Days of each state; together they are all days. */
  readonly present: number;
  readonly empty: number;
  readonly missing: number;
  /** Those of the missing days that the manifest knows and the disk has lost. */
  readonly gone: number;
  readonly rows: number;
  /** On disk, in all formats. */
  readonly bytes: number;
  /** Recorded conversions on disk of another version than this build makes. */
  readonly outdated: number;
  readonly emptyDays: readonly DayRangeJson[];
  readonly missingDays: readonly DayRangeJson[];
}

export function coverageDocument({ totals, series }: Coverage): CoverageDocument {
  return { totals, series: series.map(seriesObject) };
}

function seriesObject(one: SeriesCoverage): SeriesJson {
  const { exchange, dataType, symbol, states, present, empty, missing, gone, rows, bytes, outdated } = one;
  return {
    exchange,
    dataType,
    symbol,
    ...rangeOf(one, 0, states.length),
    present,
    empty,
    missing,
    gone,
    rows,
    bytes,
    outdated,
    emptyDays: rangesOf(one, 'e'),
    missingDays: rangesOf(one, 'm'),
  };
}

function rangesOf(series: SeriesCoverage, wanted: DayState): readonly DayRangeJson[] {
  return runsOf(series.states)
    .filter(({ state }) => state === wanted)
    .map(({ start, days }) => rangeOf(series, start, days));
}

function rangeOf({ first }: SeriesCoverage, start: number, days: number): DayRangeJson {
  return { from: formatDay(addDays(first, start)), to: formatDay(addDays(first, start + days)) };
}
