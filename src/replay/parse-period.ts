import { TickhaulError, usageError } from '../base/errors.js';
import {
  type Day,
  daysOf,
  msToDay,
  parseDayBound,
  parseDayOrMonth,
  parseDayWord,
  US_PER_DAY,
} from '../day-files/day.js';
import type { Period } from '../market/trade-bars.js';

/** A period as the user gives it: days or ISO 8601 times, with `to` exclusive; or a whole day or month. */
export interface PeriodInput {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly date?: string | undefined;
}

/** A period, or the last n exported days. */
export type RequestedPeriod = Period | { readonly last: number };

const TIME_PATTERN =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * Parses a period (docs/spec/command-line.md#periods) into microseconds since the epoch, UTC.
 * @param nowMs current time in milliseconds.
 * @throws usage error; `not_exported` for an end in the future.
 */
export function parsePeriod({ from, to, date }: PeriodInput, nowMs: number): Period {
  if (date !== undefined) {
    if (from !== undefined || to !== undefined)
      throw usageError('use only one of: --date, or --from with --to');
    const days = daysOf(parseDayOrMonth(date, nowMs));
    return assertNotInFuture(
      { start: days.from * US_PER_DAY, end: days.to * US_PER_DAY },
      `--date ${date}`,
      nowMs,
    );
  }
  if (from === undefined)
    throw usageError('no period; use --from <time> --to <time>, --date <day> or --last <n>d');
  if (to === undefined) throw usageError(`--from ${from} requires --to <time>, which is exclusive`);
  const period = { start: parseInstant('--from', from, nowMs), end: parseInstant('--to', to, nowMs) };
  if (period.end <= period.start)
    throw usageError(`--to ${to} is exclusive, so it must be after --from ${from}`);
  return assertNotInFuture(period, `--to ${to}`, nowMs);
}

/** The UTC days that a period overlaps. */
export function periodToDays({ start, end }: Period): { readonly from: Day; readonly to: Day } {
  return { from: msToDay(start / 1000), to: (msToDay((end - 1) / 1000) + 1) as Day };
}

function assertNotInFuture(period: Period, what: string, nowMs: number): Period {
  if (period.end <= nowMs * 1000) return period;
  const problem = period.start >= nowMs * 1000 ? 'lies in the future' : 'ends in the future';
  throw new TickhaulError('not_exported', `${what} ${problem}; choose an earlier end`);
}

/**
 * Parses a day or an ISO 8601 time (docs/spec/command-line.md#periods) into microseconds since the epoch,
 * UTC.
 * @param name prefix of error messages.
 * @throws usage error.
 */
export function parseInstant(name: string, text: string, nowMs: number): number {
  const match = TIME_PATTERN.exec(text);
  if (!match) {
    try {
      return parseDayBound(text, nowMs) * US_PER_DAY;
    } catch {
      throw usageError(
        `${name}: "${text}" is not a day or time; use a form such as 2024-03-01 or 2024-03-01T12:00:00.000000Z`,
      );
    }
  }
  const [, day = '', hours = '', minutes = '', seconds = '0', digits = '', zone = 'Z'] = match;
  if (!/^(?:Z|[+-]00:?00)$/i.test(zone)) {
    throw usageError(`${name}: "${text}" is not in UTC; convert it to UTC, in the form ${day}T00:00:00Z`);
  }
  if (digits.length > 6)
    throw usageError(`${name}: "${text}" is finer than a microsecond; use at most 6 digits`);
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
    throw usageError(`${name}: "${text}" is not a time of the day`);
  }
  const second = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return parseDayWord(day, nowMs) * US_PER_DAY + second * 1_000_000 + Number(digits.padEnd(6, '0'));
}
