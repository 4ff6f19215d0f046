import { runsOf } from './runs.js';
import type { Coverage, DayState, SeriesCoverage } from './types.js';
import { addDays, formatDay } from '../dataset/day.js';

/** The facts as one JSON document. As in the flags, the day of a `to` is not included. */
export function coverageDocument({ totals, series }: Coverage): object {
  return { totals, series: series.map(seriesObject) };
}

function seriesObject(one: SeriesCoverage): object {
  const { exchange, dataType, symbol, states, present, empty, missing, gone, rows, bytes } = one;
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
    emptyDays: rangesOf(one, 'e'),
    missingDays: rangesOf(one, 'm'),
  };
}

function rangesOf(series: SeriesCoverage, wanted: DayState): readonly object[] {
  return runsOf(series.states)
    .filter(({ state }) => state === wanted)
    .map(({ start, days }) => rangeOf(series, start, days));
}

function rangeOf({ first }: SeriesCoverage, start: number, days: number): object {
  return { from: formatDay(addDays(first, start)), to: formatDay(addDays(first, start + days)) };
}
