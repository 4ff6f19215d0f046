import type { DataType } from '../dataset/data-types.js';
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

/** One input of the merge: the day files of an exchange, data type and symbol, one after the other. */
export interface ReplaySeries {
  readonly exchange: string;
  readonly dataType: DataType;
  readonly types: readonly NormalizedType[];
  /** Of a grouped file, the symbols that are asked for; undefined for all. */
  readonly symbols: ReadonlySet<string> | undefined;
  /** Paths of its day files, day by day; days without data have none. */
  readonly paths: readonly string[];
}

/** How much of its files a thread has at hand. */
export interface ReadingSizes {
  /** Bytes of text that come of a file at once, at most; of gzip too. */
  readonly textChunk: number;
  /** Files that are open at once, whatever the number of series. */
  readonly openFiles: number;
}
