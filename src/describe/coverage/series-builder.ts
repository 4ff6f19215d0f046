import type { Day } from '../../day-files/day.js';
import type { DayFile } from '../../day-files/day-file.js';
import type { CoverageSelection, DayState, SeriesCoverage } from './coverage-facts.js';

/** Files of one day. */
interface DayFact {
  /** Undefined if no file of the day is on disk. */
  bytes: number | undefined;
  rows: number;
}

/** Collects the days of one series in any order. */
export interface SeriesBuilder {
  /** @param bytes on disk; undefined if the recorded file no longer exists. */
  add(day: Day, rows: number, bytes: number | undefined): void;
  /** Adds the verdict of the last audit on a day. @param reasons empty unless it is degraded. */
  addAudit(day: Day, reasons: readonly string[]): void;
  /** Counts a conversion that another version of the converter wrote. */
  addOutdated(): void;
  /** Creates the series within a range of days; undefined if no day remains. */
  build(range: Pick<CoverageSelection, 'from' | 'to'>): SeriesCoverage | undefined;
}

export function createSeriesBuilder({ exchange, dataType, symbol }: DayFile): SeriesBuilder {
  const days = new Map<Day, DayFact>();
  const audits = new Map<Day, readonly string[]>();
  let outdated = 0;
  return {
    add(day, rows, bytes) {
      const fact = days.get(day);
      // A folder with two layouts contains a day file twice.
      if (fact === undefined) days.set(day, { bytes, rows });
      else if (bytes !== undefined) days.set(day, { bytes: bytes + (fact.bytes ?? 0), rows });
    },
    addAudit(day, reasons) {
      if (reasons.length > 0 || !audits.has(day)) audits.set(day, reasons);
    },
    addOutdated() {
      outdated++;
    },
    build(range) {
      const { first, last } = findExtent(days.keys(), range);
      if (first > last) return undefined;
      const counts = { p: 0, e: 0, m: 0, gone: 0, rows: 0, bytes: 0 };
      const states: DayState[] = [];
      for (let day = first; day <= last; day++) {
        const fact = days.get(day as Day);
        const state = readState(fact);
        states.push(state);
        counts[state]++;
        if (fact === undefined) continue;
        if (fact.bytes === undefined) counts.gone++;
        else {
          counts.rows += fact.rows;
          counts.bytes += fact.bytes;
        }
      }
      const { p: present, e: empty, m: missing, ...rest } = counts;
      const audited = [...audits].filter(([day]) => day >= first && day <= last);
      const degradedDays = audited
        .map(([day, reasons]) => ({ day, reasons }))
        .filter(({ reasons }) => reasons.length > 0);
      const totals = { present, empty, missing, ...rest, outdated };
      return {
        exchange,
        dataType,
        symbol,
        first,
        states: states.join(''),
        ...totals,
        audited: audited.length,
        degraded: degradedDays.length,
        degradedDays: degradedDays.sort((a, b) => a.day - b.day),
      };
    },
  };
}

function readState(fact: DayFact | undefined): DayState {
  if (fact?.bytes === undefined) return 'm';
  return fact.rows === 0 ? 'e' : 'p';
}

/** First and last day, inclusive: the bounds of the range if set, otherwise the recorded days within it. */
function findExtent(
  days: Iterable<Day>,
  { from, to }: Pick<CoverageSelection, 'from' | 'to'>,
): { readonly first: Day; readonly last: Day } {
  const lastSelected = to === undefined ? undefined : to - 1;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const day of days) {
    if (day < (from ?? day) || day > (lastSelected ?? day)) continue;
    first = Math.min(first, day);
    last = Math.max(last, day);
  }
  return { first: (from ?? first) as Day, last: (lastSelected ?? last) as Day };
}
