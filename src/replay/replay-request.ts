import { TickhaulError, usageError } from '../base/errors.js';
import type { DataType } from '../day-files/data-types.js';
import type { SymbolChoice } from '../day-files/dataset-symbol.js';
import {
  addDays,
  type Day,
  daysOf,
  msToDay,
  parseDayBound,
  parseDayWord,
  US_PER_DAY,
} from '../day-files/day.js';
import {
  createDayTest,
  type DaySelection,
  findEmptiness,
  isDayRestricted,
} from '../day-files/day-selection.js';
import type { NormalizedType } from '../market/message-type-name.js';
import type { Period } from '../market/trade-bars.js';

/** One exchange of a replay, as requested. */
export interface ReplayOption {
  readonly exchange: string;
  /** Dataset symbols, globs or lists, in any case; undefined for all symbols except grouped ones. */
  readonly symbols: readonly SymbolChoice[] | undefined;
}

/** An exchange whose lists of symbols are resolved. */
export interface ResolvedReplayOption extends ReplayOption {
  readonly symbols: readonly string[] | undefined;
}

export interface ReplayRequest {
  /** In the order that breaks ties. */
  readonly options: readonly ReplayOption[];
  readonly types: readonly NormalizedType[];
  /** Only dataset symbols of these types; undefined for all. */
  readonly symbolTypes?: readonly string[] | undefined;
  /** Local times, in microseconds. */
  readonly period: Period;
}

/** A day file that a replay reads. */
export interface SeriesFile {
  readonly day: Day;
  /** A location. */
  readonly path: string;
  /** Undefined if not known yet. */
  readonly bytes?: number | undefined;
  /** The file is being downloaded; reading starts when it has arrived. */
  readonly isDownloading: boolean;
}

/**
 * Waits until a day file that is being downloaded is on disk.
 * @returns false if the service has no such file: a day without data. @throws TickhaulError why the file is
 * unavailable.
 */
export type Arrival = (path: string) => Promise<boolean>;

/** One input of the merge: the day files of an exchange, data type and symbol, in order. Plain data. */
export interface ReplaySeries {
  /** Local times, in microseconds. */
  readonly period: Period;
  readonly exchange: string;
  readonly dataType: DataType;
  /** Symbol of all rows; undefined for a grouped symbol, whose rows have many. */
  readonly symbol: string | undefined;
  readonly types: readonly NormalizedType[];
  /** Symbols selected from a grouped file; undefined for all. */
  readonly symbols: ReadonlySet<string> | undefined;
  /** Sorted by day; days known to have no data are left out. */
  readonly files: readonly SeriesFile[];
}

/** A period as the user gives it: days or ISO 8601 times, with `to` exclusive; or days and whole months. */
interface PeriodInput {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly date?: readonly string[] | undefined;
}

/** A period, the last n exported days, or all of them. */
export type RequestedPeriod = Period | { readonly last: number | 'all' };

/** A period, and which of its days. */
export interface RequestedDays {
  readonly range: RequestedPeriod;
  readonly days: Pick<DaySelection, 'date' | 'weekdays' | 'free'>;
}

/**
 * The parts of a period that are on selected days, in order: successive days are one part.
 * @throws usage error if there are none.
 */
export function splitPeriod(period: Period, days: RequestedDays['days']): readonly Period[] {
  if (!isDayRestricted(days)) return [period];
  const has = createDayTest(days);
  const range = periodToDays(period);
  const empty = findEmptiness(days, { ...range, has });
  if (empty) throw empty;
  const parts: Period[] = [];
  for (let day = range.from; day < range.to; day = addDays(day, 1)) {
    if (!has(day)) continue;
    const last = parts.at(-1);
    const start = Math.max(period.start, day * US_PER_DAY);
    const end = Math.min(period.end, (day + 1) * US_PER_DAY);
    if (last?.end === start) parts[parts.length - 1] = { start: last.start, end };
    else parts.push({ start, end });
  }
  return parts;
}

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
    const periods = date.map((text) => {
      const days = daysOf(text);
      const period = { start: days.from * US_PER_DAY, end: days.to * US_PER_DAY };
      return assertNotInFuture(period, `--date ${text}`, nowMs);
    });
    const start = periods.reduce((first, period) => Math.min(first, period.start), Number.POSITIVE_INFINITY);
    return { start, end: periods.reduce((last, period) => Math.max(last, period.end), 0) };
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
