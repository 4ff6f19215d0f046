import type { DataType } from '../dataset/data-types.js';
import type { Day } from '../dataset/day.js';
import type { NormalizedType } from '../market/names/data-type-name.js';
import type { Period } from '../market/trade-bars.js';

/** One exchange of a replay, as it was asked for. */
export interface ReplayOption {
  readonly exchange: string;
  /** Dataset symbols or globs, in any case; undefined for all but the grouped ones. */
  readonly symbols: readonly string[] | undefined;
}

export interface ReplayRequest {
  /** In the order that breaks ties. */
  readonly options: readonly ReplayOption[];
  readonly types: readonly NormalizedType[];
  /** Local times, in microseconds. */
  readonly period: Period;
}

/** A day file that a replay reads. */
export interface SeriesFile {
  readonly day: Day;
  /** A location. */
  readonly path: string;
  /** Undefined where nobody knows them yet. */
  readonly bytes?: number | undefined;
  /** It is on its way: reading begins when it has arrived. */
  readonly isComing: boolean;
}

/**
 * Waits until a day file that is coming is on disk.
 * @returns false where the service doesn't have it: a day without data. @throws TickhaulError why it can't be had.
 */
export type Arrival = (path: string) => Promise<boolean>;

/** One input of the merge: the day files of an exchange, data type and symbol, one after the other. Plain data. */
export interface ReplaySeries {
  /** Local times, in microseconds. */
  readonly period: Period;
  readonly exchange: string;
  readonly dataType: DataType;
  /** Whose rows the files hold; undefined for a grouped symbol, which has many. */
  readonly symbol: string | undefined;
  readonly types: readonly NormalizedType[];
  /** Of a grouped file, the symbols that are asked for; undefined for all. */
  readonly symbols: ReadonlySet<string> | undefined;
  /** Day by day; days that are known to have no data have none. */
  readonly files: readonly SeriesFile[];
}
