import { basename } from 'node:path';
import { TickhaulError } from '../base/errors.js';
import { parseDay } from './day.js';
import type { DayFile } from './day-file.js';

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
