import type { Day } from '../dataset/day.js';
import type { SeriesSelection } from '../dataset/series-filter.js';

/** `p`: present, with rows. `e`: present, of no rows. `m`: missing. */
export type DayState = 'p' | 'e' | 'm';

/** What there is of one exchange's symbol, in one data type. */
export interface SeriesCoverage {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** The day of the first state. */
  readonly first: Day;
  /** A `DayState` a day, without gaps. */
  readonly states: string;
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
}

/** Sums over all series. */
export type CoverageTotals = Readonly<
  Record<
    'exchanges' | 'series' | 'present' | 'empty' | 'missing' | 'gone' | 'rows' | 'bytes' | 'outdated',
    number
  >
>;

/** Bytes of day files that share a day. */
export interface DayBytes {
  readonly day: Day;
  readonly bytes: number;
}

export interface Coverage {
  /** By exchange, data type and symbol. */
  readonly series: readonly SeriesCoverage[];
  readonly totals: CoverageTotals;
  /** By the day that the data is of; ascending. */
  readonly byDay: readonly DayBytes[];
  /** By the UTC day on which the files were recorded; ascending. */
  readonly byRecording: readonly DayBytes[];
}

/** What of a folder is meant; undefined stands for all. */
export interface CoverageSelection extends SeriesSelection {
  readonly from?: Day | undefined;
  /** Not included. */
  readonly to?: Day | undefined;
}
