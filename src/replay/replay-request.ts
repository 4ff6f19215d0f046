import type { DataType } from '../day-files/data-types.js';
import type { SymbolChoice } from '../day-files/dataset-symbol.js';
import type { Day } from '../day-files/day.js';
import type { NormalizedType } from '../market/names/message-type-name.js';
import type { Period } from '../market/trade-bars.js';

/** One exchange of a replay, as requested. */
export interface ReplayOption {
  readonly exchange: string;
  /** Dataset symbols, globs or lists, in any case; undefined for all symbols except grouped ones. */
  readonly symbols: readonly SymbolChoice[] | undefined;
}

/** An exchange whose lists of symbols are resolved. */
export interface ResolvedReplayOption extends ReplayOption {
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
  /** Undefined if not known yet. */
  readonly bytes?: number | undefined;
  /** The file is being downloaded; reading starts when it has arrived. */
  readonly isDownloading: boolean;
}

/**
 * Waits until a day file that is being downloaded is on disk.
 * @returns false if the service has no such file: a day without data. @throws TickhaulError why the file is
 * unavailable.
 */
export type Arrival = (path: string) => Promise<boolean>;

/** One input of the merge: the day files of an exchange, data type and symbol, in order. Plain data. */
export interface ReplaySeries {
  /** Local times, in microseconds. */
  readonly period: Period;
  readonly exchange: string;
  readonly dataType: DataType;
  /** Symbol of all rows; undefined for a grouped symbol, whose rows have many. */
  readonly symbol: string | undefined;
  readonly types: readonly NormalizedType[];
  /** Symbols selected from a grouped file; undefined for all. */
  readonly symbols: ReadonlySet<string> | undefined;
  /** Sorted by day; days known to have no data are left out. */
  readonly files: readonly SeriesFile[];
}
