import { unpackStates } from '../../state-runs.js';
import type { PageData } from '../page-data.js';
import { countDays, createSeriesSection, type SeriesSection } from './series-section.js';

/** A series as the list sorts and shows it. */
export interface ListedSeries {
  readonly name: string;
  /** The name in lower case. */
  readonly searchText: string;
  /** What the list is sorted by, the greatest first. */
  readonly amounts: Readonly<Record<Exclude<SeriesOrder, 'name'>, number>>;
  /** Its section of the page, created when it is first shown. */
  section(): SeriesSection;
}

export type SeriesOrder = 'name' | 'missing' | 'degraded' | 'size' | 'rows';

/** Unpacks the series of the page's data. */
export function listSeries(data: PageData): readonly ListedSeries[] {
  return data.series.map((packed) => {
    const [exchange, dataType, symbol, , packedStates, rows, bytes] = packed;
    const name = `${data.exchanges[exchange]} ${data.dataTypes[dataType]} ${symbol}`;
    const states = unpackStates(packedStates);
    let section: SeriesSection | undefined;
    return {
      name,
      searchText: name.toLowerCase(),
      amounts: {
        missing: countDays(states, 'm'),
        degraded: countDays(states, 'd') + countDays(states, 'c'),
        size: bytes ?? 0,
        rows,
      },
      section() {
        section ??= createSeriesSection(name, packed, data);
        return section;
      },
    };
  });
}

/** Filters and sorts series. A series matches if its name contains all words of the filter. */
export function chooseSeries(
  all: readonly ListedSeries[],
  filter: string,
  order: SeriesOrder,
): readonly ListedSeries[] {
  const words = filter.toLowerCase().split(/\s+/);
  const chosen = all.filter(({ searchText }) => words.every((word) => searchText.includes(word)));
  return order === 'name' ? chosen : chosen.sort((a, b) => b.amounts[order] - a.amounts[order]);
}
