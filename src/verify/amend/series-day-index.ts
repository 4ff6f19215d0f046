import { plural } from '../../base/units.js';
import { type Day, formatDay } from '../../dataset/day.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { FindingEvent } from '../../run/run-events.js';

/** Days of a series that a message names. */
const MAX_DAYS_SHOWN = 5;

/** The days there are of each series: an exchange's symbol, in one data type. */
export interface SeriesDayIndex {
  /** @param isMeant whether the check is about this file: gaps are looked for between those only. */
  add(file: DayFile, isMeant: boolean): void;
  /** Days that a series lacks between the first and the last one that are meant. */
  gaps(): Generator<FindingEvent>;
}

interface Series {
  /** Any of its files. */
  readonly file: DayFile;
  readonly days: Set<Day>;
  first: number;
  last: number;
}

export function createSeriesDayIndex(): SeriesDayIndex {
  const all = new Map<string, Series>();
  return {
    add(file, isMeant) {
      const key = `${file.exchange}\n${file.dataType}\n${file.symbol}`;
      const series = all.get(key) ?? {
        file,
        days: new Set(),
        first: Number.POSITIVE_INFINITY,
        last: Number.NEGATIVE_INFINITY,
      };
      all.set(key, series);
      series.days.add(file.day);
      if (!isMeant) return;
      series.first = Math.min(series.first, file.day);
      series.last = Math.max(series.last, file.day);
    },
    *gaps() {
      for (const series of all.values()) {
        const lacking = findMissingDays(series);
        if (lacking.length > 0) yield createGapFinding(series.file, lacking);
      }
    },
  };
}

function findMissingDays({ days, first, last }: Series): readonly Day[] {
  const lacking: Day[] = [];
  for (let day = first + 1; day < last; day++) if (!days.has(day as Day)) lacking.push(day as Day);
  return lacking;
}

function createGapFinding({ exchange, dataType, symbol }: DayFile, days: readonly Day[]): FindingEvent {
  const shown = days.slice(0, MAX_DAYS_SHOWN).map(formatDay).join(', ');
  const more = days.length > MAX_DAYS_SHOWN ? ` and ${days.length - MAX_DAYS_SHOWN} more` : '';
  const message = `${exchange} ${dataType} ${symbol}: ${plural(days.length, 'day')} missing in between: ${shown}${more}`;
  return { event: 'finding', kind: 'gap', message, series: { exchange, dataType, symbol }, days };
}
