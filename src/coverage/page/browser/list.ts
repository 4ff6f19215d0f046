import type { ListedSeries } from './series.js';

export type Order = 'name' | 'missing' | 'size';

/** The series whose names have all words of the filter, in an order. */
export function chooseSeries(
  all: readonly ListedSeries[],
  filter: string,
  order: Order,
): readonly ListedSeries[] {
  const words = filter.toLowerCase().split(/\s+/);
  const chosen = all.filter(({ searched }) => words.every((word) => searched.includes(word)));
  if (order === 'missing') chosen.sort((a, b) => b.missing - a.missing);
  if (order === 'size') chosen.sort((a, b) => b.bytes - a.bytes);
  return chosen;
}
