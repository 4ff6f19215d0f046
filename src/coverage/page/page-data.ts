import type { Coverage, DayBytes, SeriesCoverage } from '../coverage-facts.js';
import { packStates } from '../state-runs.js';

/** A series as the page holds it, with texts that many share as numbers of a list. */
export type PackedSeries = readonly [
  exchange: number,
  dataType: number,
  symbol: string,
  first: number,
  /** As `packStates` gives them. */
  states: string,
  rows: number,
  bytes: number,
  gone: number,
];

/** All that the page's script draws. */
export interface PageData {
  readonly exchanges: readonly string[];
  readonly dataTypes: readonly string[];
  readonly series: readonly PackedSeries[];
  readonly byDay: ChartData;
  readonly byRecording: ChartData;
}

/** Days and their bytes. */
export type ChartData = readonly [days: readonly number[], bytes: readonly number[]];

export function toPageData({ series, byDay, byRecording }: Coverage): PageData {
  const exchanges = distinct(series.map(({ exchange }) => exchange));
  const dataTypes = distinct(series.map(({ dataType }) => dataType));
  const pack = (one: SeriesCoverage): PackedSeries => [
    exchanges.indexOf(one.exchange),
    dataTypes.indexOf(one.dataType),
    one.symbol,
    one.first,
    packStates(one.states),
    one.rows,
    one.bytes,
    one.gone,
  ];
  const chart = (sums: readonly DayBytes[]): ChartData => [
    sums.map(({ day }) => day),
    sums.map(({ bytes }) => bytes),
  ];
  return {
    exchanges,
    dataTypes,
    series: series.map(pack),
    byDay: chart(byDay),
    byRecording: chart(byRecording),
  };
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
