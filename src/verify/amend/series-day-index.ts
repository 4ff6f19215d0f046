import { plural } from '../../base/units.js';
import { type Day, formatDay } from '../../dataset/day.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { FindingEvent } from '../../run/run-events.js';

/** Number of missing days listed in a message. */
const MAX_DAYS_SHOWN = 5;

/** The existing days of each series: one symbol of an exchange, in one data type. */
export interface SeriesDayIndex {
  /** @param isInScope whether the check covers this file. Gaps are reported only between covered files. */
  add(file: DayFile, isInScope: boolean): void;
  /** Missing days between the first and the last covered day of each series. */
  gaps(): Generator<FindingEvent>;
}

interface Series {
  /** One of its files. */
  readonly file: DayFile;
  readonly days: Set<Day>;
  first: number;
  last: number;
}

export function createSeriesDayIndex(): SeriesDayIndex {
  const seriesByKey = new Map<string, Series>();
  return {
    add(file, isInScope) {
      const key = `${file.exchange}\n${file.dataType}\n${file.symbol}`;
      const series = seriesByKey.get(key) ?? {
        file,
        days: new Set(),
        first: Number.POSITIVE_INFINITY,
        last: Number.NEGATIVE_INFINITY,
      };
      seriesByKey.set(key, series);
      series.days.add(file.day);
      if (!isInScope) return;
      series.first = Math.min(series.first, file.day);
      series.last = Math.max(series.last, file.day);
    },
    *gaps() {
      for (const series of seriesByKey.values()) {
        const missingDays = findMissingDays(series);
        if (missingDays.length > 0) yield createGapFinding(series.file, missingDays);
      }
    },
  };
}

function findMissingDays({ days, first, last }: Series): readonly Day[] {
  const missingDays: Day[] = [];
  for (let day = first + 1; day < last; day++) if (!days.has(day as Day)) missingDays.push(day as Day);
  return missingDays;
}

function createGapFinding({ exchange, dataType, symbol }: DayFile, days: readonly Day[]): FindingEvent {
  const shown = days.slice(0, MAX_DAYS_SHOWN).map(formatDay).join(', ');
  const more = days.length > MAX_DAYS_SHOWN ? ` and ${days.length - MAX_DAYS_SHOWN} more` : '';
  const message = `${exchange} ${dataType} ${symbol}: ${plural(days.length, 'day')} missing in between: ${shown}${more}`;
  return { event: 'finding', kind: 'gap', message, series: { exchange, dataType, symbol }, days };
}
