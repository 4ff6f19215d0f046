import { type Day, formatDay } from '../dataset/day.js';
import type { DayFile } from '../dataset/day-file.js';
import type { FindingEvent } from '../events.js';
import { plural } from '../units.js';

/** Days of a series that a message names. */
const SHOWN = 5;

/** The days there are of each series: an exchange's symbol, in one data type. */
export interface Days {
  add(file: DayFile): void;
  /** Days that a series lacks between its first and its last one. */
  gaps(): Generator<FindingEvent>;
}

export function createDays(): Days {
  const series = new Map<string, { first: DayFile; days: Set<Day> }>();
  return {
    add(file) {
      const key = `${file.exchange}\n${file.dataType}\n${file.symbol}`;
      const found = series.get(key) ?? { first: file, days: new Set() };
      series.set(key, found);
      found.days.add(file.day);
    },
    *gaps() {
      for (const { first, days } of series.values()) {
        const lacking = lackingDays(days);
        if (lacking.length > 0) yield gapOf(first, lacking);
      }
    },
  };
}

function lackingDays(days: ReadonlySet<Day>): readonly Day[] {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const day of days) {
    first = Math.min(first, day);
    last = Math.max(last, day);
  }
  const lacking: Day[] = [];
  for (let day = first + 1; day < last; day++) if (!days.has(day as Day)) lacking.push(day as Day);
  return lacking;
}

function gapOf({ exchange, dataType, symbol }: DayFile, days: readonly Day[]): FindingEvent {
  const shown = days.slice(0, SHOWN).map(formatDay).join(', ');
  const more = days.length > SHOWN ? ` and ${days.length - SHOWN} more` : '';
  const message = `${exchange} ${dataType} ${symbol}: ${plural(days.length, 'day')} missing in between: ${shown}${more}`;
  return { event: 'finding', kind: 'gap', message, series: { exchange, dataType, symbol }, days };
}
