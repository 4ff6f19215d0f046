import type { ListedSeries } from './list-series.js';

export type SeriesOrder = 'name' | 'missing' | 'size';

/** The series whose names have all words of the filter, in an order. */
export function chooseSeries(
  all: readonly ListedSeries[],
  filter: string,
  order: SeriesOrder,
): readonly ListedSeries[] {
  const words = filter.toLowerCase().split(/\s+/);
  const chosen = all.filter(({ searched }) => words.every((word) => searched.includes(word)));
  if (order === 'missing') chosen.sort((a, b) => b.missing - a.missing);
  if (order === 'size') chosen.sort((a, b) => b.bytes - a.bytes);
  return chosen;
}
