import { usageError } from '../base/errors.js';
import { daysOf, parseDay } from './day.js';

/**
 * Days as the user selects them: either `date`, or `last` (a number of days), or `from` with or without `to`.
 */
export interface DayRange {
  /** `YYYY-MM-DD`; `to` is exclusive, and `date` may also be a month, `YYYY-MM`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly date?: string | undefined;
  readonly last?: number | undefined;
}

/**
 * @throws usage error if there are no days, days in two ways, an invalid day, or a `to` that is not after
 * `from`.
 */
export function assertDayRange({ from, to, date, last }: DayRange): void {
  const ways = [date && '--date', last && '--last', (from || to) && '--from with --to'].filter(Boolean);
  if (ways.length > 1) throw usageError(`use only one of: ${ways.join(', or ')}`);
  if (ways.length === 0)
    throw usageError('no days selected; use --from <day> [--to <day>], --date <day> or --last <n>d');
  if (to && !from) throw usageError('--to requires --from <day>, the first day of the range');
  for (const day of [from, to]) if (day) parseDay(day);
  if (date) daysOf(date);
  if (from && to && parseDay(to) <= parseDay(from)) {
    throw usageError(`--to ${to} is exclusive, so it must be after --from ${from}`);
  }
}
