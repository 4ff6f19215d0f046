import type { ListedSeries } from './list-series.js';

export type SeriesOrder = 'name' | 'missing' | 'size';

/** Filters and sorts series. A series matches if its name contains all words of the filter. */
export function chooseSeries(
  all: readonly ListedSeries[],
  filter: string,
  order: SeriesOrder,
): readonly ListedSeries[] {
  const words = filter.toLowerCase().split(/\s+/);
  const chosen = all.filter(({ searchText }) => words.every((word) => searchText.includes(word)));
  if (order === 'missing') chosen.sort((a, b) => b.missing - a.missing);
  if (order === 'size') chosen.sort((a, b) => b.bytes - a.bytes);
  return chosen;
}
