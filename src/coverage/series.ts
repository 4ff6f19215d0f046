import type { Day } from '../dataset/day.js';
import type { DayFile } from '../dataset/day-file.js';
import type { CoverageSelection, DayState, SeriesCoverage } from './types.js';

/** What is known of one day. */
interface DayFact {
  /** Undefined where nothing is left on disk. */
  bytes: number | undefined;
  rows: number;
}

/** Gathers the days of one series, in any order. */
export interface SeriesBuilder {
  /** @param bytes on disk; undefined for a day file that is recorded and gone. */
  add(day: Day, rows: number, bytes: number | undefined): void;
  /** Counts a conversion of another version than this build makes. */
  addOutdated(): void;
  /** The series within the range of days; undefined where that leaves no day. */
  build(range: Pick<CoverageSelection, 'from' | 'to'>): SeriesCoverage | undefined;
}

export function createSeriesBuilder({ exchange, dataType, symbol }: DayFile): SeriesBuilder {
  const days = new Map<Day, DayFact>();
  let outdated = 0;
  return {
    add(day, rows, bytes) {
      const fact = days.get(day);
      // Under two layouts a folder has a day file twice.
      if (fact === undefined) days.set(day, { bytes, rows });
      else if (bytes !== undefined) days.set(day, { bytes: bytes + (fact.bytes ?? 0), rows });
    },
    addOutdated() {
      outdated++;
    },
    build(range) {
      const { first, last } = extentOf(days.keys(), range);
      if (first > last) return undefined;
      const count = { p: 0, e: 0, m: 0, gone: 0, rows: 0, bytes: 0 };
      const states: DayState[] = [];
      for (let day = first; day <= last; day++) {
        const fact = days.get(day as Day);
        const state = stateOf(fact);
        states.push(state);
        count[state]++;
        if (fact === undefined) continue;
        if (fact.bytes === undefined) count.gone++;
        else {
          count.rows += fact.rows;
          count.bytes += fact.bytes;
        }
      }
      const { p: present, e: empty, m: missing, ...rest } = count;
      const counts = { present, empty, missing, ...rest, outdated };
      return { exchange, dataType, symbol, first, states: states.join(''), ...counts };
    },
  };
}

function stateOf(fact: DayFact | undefined): DayState {
  if (fact?.bytes === undefined) return 'm';
  return fact.rows === 0 ? 'e' : 'p';
}

/** From the first recorded day to the last one, or the ends of the range where it has them; both included. */
function extentOf(
  days: Iterable<Day>,
  { from, to }: Pick<CoverageSelection, 'from' | 'to'>,
): { readonly first: Day; readonly last: Day } {
  const end = to === undefined ? undefined : to - 1;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const day of days) {
    if (day < (from ?? day) || day > (end ?? day)) continue;
    first = Math.min(first, day);
    last = Math.max(last, day);
  }
  return { first: (from ?? first) as Day, last: (end ?? last) as Day };
}
