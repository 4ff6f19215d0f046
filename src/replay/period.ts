import { TickhaulError, usageError } from '../base/errors.js';
import { type Day, dayOfMs, parseDayWord } from '../dataset/day.js';
import type { Period } from '../market/trade-bars.js';

/** A period as a user names it: days or ISO 8601 times, `to` not included; or one whole day. */
export interface PeriodWords {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly date?: string | undefined;
}

/** A period, or a count of days up to the end of the export. */
export type AskedPeriod = Period | { readonly last: number };

export const US_A_DAY = 86_400_000_000;
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * The period in microseconds since the epoch, UTC (contract, Replay).
 * @param nowMs the clock, in milliseconds.
 * @throws usage error; `not_exported` for an end that is still to come.
 */
export function parsePeriod({ from, to, date }: PeriodWords, nowMs: number): Period {
  if (date !== undefined) {
    if (from !== undefined || to !== undefined) throw usageError('give only one of --date, --from and --to');
    const start = parseDayWord(date, nowMs) * US_A_DAY;
    return notAfterNow({ start, end: start + US_A_DAY }, `the day of --date ${date}`, nowMs);
  }
  if (from === undefined)
    throw usageError('no period: give --from <time> --to <time>, --date <day> or --last <n>d');
  if (to === undefined) throw usageError(`--from ${from} needs --to <time>, which is not included`);
  const period = { start: parseInstant('--from', from, nowMs), end: parseInstant('--to', to, nowMs) };
  if (period.end <= period.start)
    throw usageError(`--to ${to} must be after --from ${from}: it is not included`);
  return notAfterNow(period, `--to ${to}`, nowMs);
}

/** The UTC days that a period touches. */
export function daysOf({ start, end }: Period): { readonly from: Day; readonly to: Day } {
  return { from: dayOfMs(start / 1000), to: (dayOfMs((end - 1) / 1000) + 1) as Day };
}

function notAfterNow(period: Period, what: string, nowMs: number): Period {
  if (period.end <= nowMs * 1000) return period;
  throw new TickhaulError('not_exported', `${what} ends after now; choose an end that has passed`);
}

/**
 * A day or an ISO 8601 time in microseconds since the epoch, UTC (contract, Replay).
 * @param name what an error begins with.
 * @throws usage error.
 */
export function parseInstant(name: string, text: string, nowMs: number): number {
  const match = TIME.exec(text);
  if (!match) {
    try {
      return parseDayWord(text, nowMs) * US_A_DAY;
    } catch {
      throw usageError(
        `${name}: "${text}" is no day or time; write 2024-03-01 or 2024-03-01T12:00:00.000000Z`,
      );
    }
  }
  const [, day = '', hours = '', minutes = '', seconds = '0', digits = '', zone = 'Z'] = match;
  if (!/^(?:Z|[+-]00:?00)$/i.test(zone)) {
    throw usageError(`${name}: "${text}" has another offset than UTC; write it in UTC, as ${day}T00:00:00Z`);
  }
  if (digits.length > 6)
    throw usageError(`${name}: "${text}" is finer than a microsecond; give at most 6 digits`);
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
    throw usageError(`${name}: "${text}" is not a time of the day`);
  }
  const second = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return parseDayWord(day, nowMs) * US_A_DAY + second * 1_000_000 + Number(digits.padEnd(6, '0'));
}
