import type { Day } from './day.js';

/** What the name of a day file ends in, as it comes. */
export const DAY_FILE_EXTENSION = '.csv.gz';

/** The unit of everything: one exchange, data type, dataset symbol and UTC day. */
export interface DayFile {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  readonly day: Day;
}

export function isSameDayFile(a: DayFile, b: DayFile): boolean {
  return a.day === b.day && a.symbol === b.symbol && a.dataType === b.dataType && a.exchange === b.exchange;
}
