import type { Coverage, DayBytes, SeriesCoverage } from '../coverage-facts.js';
import { packStates } from '../state-runs.js';

/** A series in the page's data; exchange and data type are indexes of lists. */
export type PackedSeries = readonly [
  exchange: number,
  dataType: number,
  symbol: string,
  first: number,
  /** Packed by `packStates`. */
  states: string,
  rows: number,
  bytes: number,
  gone: number,
];

/** Data that the page's script draws. */
export interface PageData {
  readonly exchanges: readonly string[];
  readonly dataTypes: readonly string[];
  readonly series: readonly PackedSeries[];
  readonly byDay: ChartData;
  readonly byRecording: ChartData;
}

/** Days and the bytes of each day. */
export type ChartData = readonly [days: readonly number[], bytes: readonly number[]];

/** Converts coverage to the data of the page. */
export function toPageData({ series, byDay, byRecording }: Coverage): PageData {
  const exchanges = distinct(series.map(({ exchange }) => exchange));
  const dataTypes = distinct(series.map(({ dataType }) => dataType));
  const packSeries = (item: SeriesCoverage): PackedSeries => [
    exchanges.indexOf(item.exchange),
    dataTypes.indexOf(item.dataType),
    item.symbol,
    item.first,
    packStates(item.states),
    item.rows,
    item.bytes,
    item.gone,
  ];
  const toChartData = (sums: readonly DayBytes[]): ChartData => [
    sums.map(({ day }) => day),
    sums.map(({ bytes }) => bytes),
  ];
  return {
    exchanges,
    dataTypes,
    series: series.map(packSeries),
    byDay: toChartData(byDay),
    byRecording: toChartData(byRecording),
  };
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
