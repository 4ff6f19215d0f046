import type { ContentCheck } from '../content-check.js';

/**
 * A day without rows, although another day of the series has some: the file may have come too early. That depends on
 * other files, so each run judges it again (`SeriesWithRows`), and no record has it.
 */
export const noRows: ContentCheck = {
  name: 'no_rows',
  appliesTo: () => false,
  degrades: false,
  start: () => ({ push() {}, end: () => ({ count: 0 }) }),
};

/** A day of a series. */
interface SeriesDay {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** The series that have days with rows. */
export class SeriesWithRows {
  /** For each series its only such day, or `several`. */
  readonly #dates = new Map<string, string>();

  add(day: SeriesDay): void {
    const key = toSeriesKey(day);
    const known = this.#dates.get(key);
    this.#dates.set(key, known === undefined || known === day.date ? day.date : 'several');
  }

  /** Whether another day of the same series has rows. */
  hasOther(day: SeriesDay): boolean {
    const date = this.#dates.get(toSeriesKey(day));
    return date !== undefined && date !== day.date;
  }
}

export function toSeriesKey({ exchange, dataType, symbol }: Omit<SeriesDay, 'date'>): string {
  return JSON.stringify([exchange, dataType, symbol]);
}
