import { basename } from 'node:path';
import { TickhaulError } from '../base/errors.js';
import { type Day, parseDay } from './day.js';

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

/**
 * Parses a flat name, `<exchange>_<dataType>_<YYYY-MM-DD>_<symbol>.csv.gz`
 * (docs/spec/datasets-api.md#file-names). Returns undefined for any other name. Characters that were replaced
 * by `-` are not restored.
 */
export function parseDayFileName(path: string): DayFile | undefined {
  const match = /^([^_]+)_(.+?)_(\d{4}-\d\d-\d\d)_(.+)\.csv\.gz$/.exec(basename(path));
  const [, exchange, dataType, date, symbol] = match ?? [];
  if (exchange === undefined || dataType === undefined || date === undefined || symbol === undefined)
    return undefined;
  try {
    return { exchange, dataType, symbol, day: parseDay(date) };
  } catch (error) {
    if (error instanceof TickhaulError) return undefined;
    throw error;
  }
}
