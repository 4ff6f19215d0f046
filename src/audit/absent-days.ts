import { formatDay } from '../dataset/day.js';
import type { DayFile } from '../dataset/day-file.js';
import type { AuditedDay } from '../run/audited-day.js';
import type { ExchangeFacts } from './exchange-facts.js';

/**
 * The verdict on a day without a file; undefined if the day is left out: the symbol was not listed, the day exists as a
 * conversion, or there is no exchange record.
 */
export function judgeAbsentDay(
  file: DayFile,
  exchange: ExchangeFacts,
  hasConversion: (file: DayFile) => boolean,
): AuditedDay | undefined {
  const condition = exchange.judgeAbsentDay(file.symbol, file.day);
  if (condition === undefined || hasConversion(file)) return undefined;
  return { ...describeDay(file, exchange), path: null, condition, reasons: [] };
}

/** Names and incidents of a day. @param file undefined if the file is not identified. */
export function describeDay(
  file: DayFile | undefined,
  exchange: ExchangeFacts,
): Pick<AuditedDay, 'exchange' | 'dataType' | 'symbol' | 'date' | 'incidents'> {
  if (!file) return { exchange: '', dataType: '', symbol: '', date: '', incidents: [] };
  const { dataType, symbol, day } = file;
  const date = formatDay(day);
  return { exchange: file.exchange, dataType, symbol, date, incidents: exchange.findIncidents(day) };
}
