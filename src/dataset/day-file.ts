import type { Day } from './day.js';

/** Extension of a day file as the service delivers it. */
export const DAY_FILE_EXTENSION = '.csv.gz';

/** One exchange, data type, dataset symbol and UTC day: the unit of plans, downloads and the manifest. */
export interface DayFile {
  readonly exchange: string;
  readonly dataType: string;
  readonly symbol: string;
  readonly day: Day;
}

export function isSameDayFile(a: DayFile, b: DayFile): boolean {
  return a.day === b.day && a.symbol === b.symbol && a.dataType === b.dataType && a.exchange === b.exchange;
}
