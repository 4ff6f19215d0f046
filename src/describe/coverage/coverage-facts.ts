import { addDays, type Day, formatDay } from '../../day-files/day.js';

/**
 * State of a day: `p` for present with rows, `e` for present without rows, `m` for missing, `o` for a day between others
 * that is not selected.
 */
export type DayState = 'p' | 'e' | 'm' | 'o';

/** Present days that were audited, and those of them that the last audit judged degraded. */
export interface AuditCounts {
  readonly audited: number;
  readonly degraded: number;
}

/** A series, and counts of its days and files. */
export interface SeriesCounts extends AuditCounts {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** Days of each state; their sum is the number of days. */
  readonly present: number;
  readonly empty: number;
  readonly missing: number;
  /** Missing days that the manifest records but whose files no longer exist. */
  readonly gone: number;
  readonly rows: number;
  /** Bytes on disk, in all formats. */
  readonly bytes: number;
  /** Conversions on disk that another version of the converter wrote. */
  readonly outdated: number;
}

/** Coverage of one series. */
export interface SeriesCoverage extends SeriesCounts {
  /** Day of the first state. */
  readonly first: Day;
  /** One `DayState` per day, without gaps. */
  readonly states: string;
  /** Days that the last audit judged degraded, ascending. */
  readonly degradedDays: readonly DegradedDay[];
}

/** A day with the names of the checks that degrade it, and `incident`. */
interface DegradedDay {
  readonly day: Day;
  readonly reasons: readonly string[];
}

/** Sums over all series. */
export type CoverageTotals = Readonly<
  Record<
    | 'exchanges'
    | 'series'
    | 'present'
    | 'empty'
    | 'missing'
    | 'gone'
    | 'rows'
    | 'bytes'
    | 'outdated'
    | 'audited'
    | 'degraded',
    number
  >
>;

/** Total bytes of the files of one day. */
export interface DayBytes {
  readonly day: Day;
  readonly bytes: number;
}

export interface Coverage {
  /** Sorted by exchange, data type and symbol. */
  readonly series: readonly SeriesCoverage[];
  readonly totals: CoverageTotals;
  /** By day of the data, ascending. */
  readonly byDay: readonly DayBytes[];
  /** By UTC day on which the files were recorded, ascending. */
  readonly byRecording: readonly DayBytes[];
}

/** Consecutive days of the same state. */
export interface StateSpan {
  readonly state: DayState;
  /** Index of its first day. */
  readonly start: number;
  readonly days: number;
}

/** Splits a text of states into runs, in order. */
export function splitIntoSpans(states: string): readonly StateSpan[] {
  return [...states.matchAll(/(.)\1*/g)].map(({ 0: run, index }) => ({
    state: run.charAt(0) as DayState,
    start: index,
    days: run.length,
  }));
}

/** Packs states into a short text: `p300m2p` for 300 present days, two missing ones and one present. */
export function packStates(states: string): string {
  return splitIntoSpans(states)
    .map(({ state, days }) => (days === 1 ? state : `${state}${days}`))
    .join('');
}

/** Reverses `packStates`. */
export function unpackStates(packed: string): string {
  return packed.replace(/([a-z])(\d+)/g, (_, state: string, days: string) => state.repeat(Number(days)));
}

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
