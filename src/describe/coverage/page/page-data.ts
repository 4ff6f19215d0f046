import type { Day } from '../../../day-files/day.js';
import type { DayBytes, DayState } from '../coverage-facts.js';
import { packStates } from '../state-runs.js';
import type { PageDay } from './page-day.js';

/**
 * State of a day on the page: of coverage, or `d` for degraded, `c` for corrupt, `n` for pending (not yet exported), `o`
 * for a day that the report does not cover.
 */
export type PageState = DayState | 'd' | 'c' | 'n' | 'o';

/** How the page names the days of a state. */
export interface StateWords {
  readonly state: PageState;
  readonly word: string;
  /** What it means, if the word does not say it. */
  readonly note?: string;
  /** Whether these days are in the list of each series, and what Page Down looks for. */
  readonly isListed: boolean;
  /** States that the word counts, if not its own only. */
  readonly counted?: string;
}

/** A series to show. */
export interface PageSeries {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** Day of the first state. */
  readonly first: Day;
  /** One `PageState` per day, without gaps. */
  readonly states: string;
  readonly rows: number;
  /** Bytes on disk; undefined if not known. */
  readonly bytes?: number | undefined;
  /** Missing days that the manifest records. */
  readonly gone: number;
  /** Details of days by their index in `states`. */
  readonly days?: ReadonlyMap<number, PageDay> | undefined;
}

/** A series in the page's data; exchange and data type are indexes of lists. */
export type PackedSeries = readonly [
  exchange: number,
  dataType: number,
  symbol: string,
  first: number,
  /** Packed by `packStates`. */
  states: string,
  rows: number,
  bytes: number | null,
  gone: number,
  /** Details of days, with the index in the states. */
  days: readonly (readonly [index: number, day: PageDay])[],
];

/** Data that the page's script draws. */
export interface PageData {
  readonly words: readonly StateWords[];
  /** Title of the list of days in each series. */
  readonly listTitle: string;
  readonly exchanges: readonly string[];
  readonly dataTypes: readonly string[];
  readonly series: readonly PackedSeries[];
  /** Charts by the id of their element. */
  readonly charts: Readonly<Partial<Record<ByteChart, ChartData>>>;
}

/** Size of each day's data, and of the folder by day of recording. */
export type ByteChart = 'by-day' | 'by-recording';

/** Days and the bytes of each day. */
export type ChartData = readonly [days: readonly number[], bytes: readonly number[]];

/** Packs series and charts for the page. */
export function toPageData(
  series: readonly PageSeries[],
  charts: Readonly<Partial<Record<ByteChart, readonly DayBytes[]>>>,
  { words, listTitle }: Pick<PageData, 'words' | 'listTitle'>,
): PageData {
  const exchanges = distinct(series.map(({ exchange }) => exchange));
  const dataTypes = distinct(series.map(({ dataType }) => dataType));
  const packSeries = (item: PageSeries): PackedSeries => [
    exchanges.indexOf(item.exchange),
    dataTypes.indexOf(item.dataType),
    item.symbol,
    item.first,
    packStates(item.states),
    item.rows,
    item.bytes ?? null,
    item.gone,
    [...(item.days ?? [])],
  ];
  const toChartData = (sums: readonly DayBytes[]): ChartData => [
    sums.map(({ day }) => day),
    sums.map(({ bytes }) => bytes),
  ];
  return {
    words,
    listTitle,
    exchanges,
    dataTypes,
    series: series.map(packSeries),
    charts: Object.fromEntries(Object.entries(charts).map(([id, sums]) => [id, toChartData(sums)])),
  };
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
