import { basename } from 'node:path';
import { TickhaulError } from '../base/errors.js';
import { parseDay } from './day.js';
import type { DayFile } from './day-file.js';

/**
 * The day file that a name of the form `<exchange>_<dataType>_<YYYY-MM-DD>_<symbol>.csv.gz` tells (service
 * interface, Datasets API); undefined for any other name. Characters that no file name has stay the `-` they became.
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
