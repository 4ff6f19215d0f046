import { type TickhaulError, usageError } from '../base/errors.js';
import { addDays, type Day, daysOf, formatDay, isFirstDayOfMonth, parseDay } from './day.js';

/**
 * Days as the user selects them (docs/reference/selection.md#days): dates, or the last n exported days, or a range; and
 * which of these.
 */
export interface DaySelection {
  /** `YYYY-MM-DD`; `to` is not included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Days, `YYYY-MM-DD`, and months, `YYYY-MM`. */
  readonly date?: readonly string[] | undefined;
  readonly last?: number | undefined;
  /** Only these days of the week, and ranges of them. */
  readonly weekdays?: readonly string[] | undefined;
  /** Only the first day of each month, which needs no key. */
  readonly free?: boolean | undefined;
}

/** Selected days: those of a range that pass a test. */
export interface SelectedDays {
  /** The first day of the range; -Infinity if it has no start. */
  readonly from: Day;
  /** The day after the range; Infinity if it has no end. */
  readonly to: Day;
  /** Whether a day is selected; never outside the range. */
  has(day: Day): boolean;
}

/** Whether a day is selected. */
type DayTest = (day: Day) => boolean;

/** Whether a selection leaves out any day. */
export function isDayRestricted({ from, to, date, last, weekdays, free }: DaySelection): boolean {
  return [from, to, date, last, weekdays].some((value) => value !== undefined) || free === true;
}

/**
 * Checks days, before any request.
 * @param isPlanned whether the days are to be requested, so that there must be some, and a start.
 * @throws usage error for days in two ways, an invalid day, and a `to` that is not after `from`.
 */
export function assertDays(selection: DaySelection, isPlanned: boolean): void {
  const { from, to, date, last, weekdays, free } = selection;
  const ways = [date && '--date', last && '--last', (from || to) && '--from with --to'].filter(Boolean);
  if (ways.length > 1) throw usageError(`use only one of: ${ways.join(', or ')}`);
  if (isPlanned && !free) {
    if (ways.length === 0)
      throw usageError('no days selected; use --from <day> [--to <day>], --date <day> or --last <n>d');
    if (to && !from) throw usageError('--to requires --from <day>, the first day of the range');
  }
  if (from && to && parseDay(to) <= parseDay(from))
    throw usageError(`--to ${to} is exclusive, so it must be after --from ${from}`);
  for (const day of [from, to]) if (day) parseDay(day);
  if (weekdays) parseWeekdays(weekdays);
  const problem = last ? undefined : findEmptiness(selection, selectDays(selection, undefined));
  if (problem) throw problem;
}

/**
 * The days of a selection.
 * @param exportedUntil the first day that is not exported; needed for `last` only.
 */
export function selectDays(selection: DaySelection, exportedUntil: Day | undefined): SelectedDays {
  const { from, to, date, last } = selection;
  const isOneOf = createDayTest(selection);
  if (date) {
    const ranges = date.map(daysOf);
    const first = ranges.reduce((day, range) => Math.min(day, range.from), Number.POSITIVE_INFINITY) as Day;
    const end = ranges.reduce((day, range) => Math.max(day, range.to), Number.NEGATIVE_INFINITY) as Day;
    return { from: first, to: end, has: isOneOf };
  }
  if (last && exportedUntil === undefined) throw new Error('the last days need the end of the export');
  const end = last ? (exportedUntil as Day) : ((to ? parseDay(to) : Number.POSITIVE_INFINITY) as Day);
  const start = last ? addDays(end, -last) : ((from ? parseDay(from) : Number.NEGATIVE_INFINITY) as Day);
  return { from: start, to: end, has: (day) => day >= start && day < end && isOneOf(day) };
}

/** The test of the parts of a selection that need no end of an export: dates, weekdays and free days. */
export function createDayTest({
  date,
  weekdays,
  free,
}: Pick<DaySelection, 'date' | 'weekdays' | 'free'>): DayTest {
  const tests: DayTest[] = [];
  if (date) {
    const days = new Set<Day>();
    for (const { from, to } of date.map(daysOf)) for (let day = from; day < to; day++) days.add(day as Day);
    tests.push((day) => days.has(day));
  }
  if (weekdays) tests.push(parseWeekdays(weekdays));
  if (free) tests.push(isFirstDayOfMonth);
  const [first, ...others] = tests;
  // A plan may have millions of files.
  if (!first) return () => true;
  return others.length === 0 ? first : (day) => tests.every((test) => test(day));
}

/** Whether one of the selected days is from `from` on and before `to`. */
export function hasDayBetween({ has }: Pick<SelectedDays, 'has'>, from: number, to: number): boolean {
  for (let day = from; day < to; day++) if (has(day as Day)) return true;
  return false;
}

/** A usage error if a range with both ends has none of the selected days; undefined if it has one. */
export function findEmptiness(
  { weekdays, free }: DaySelection,
  { from, to, has }: SelectedDays,
): TickhaulError | undefined {
  if (!Number.isFinite(to - from)) return undefined;
  if (hasDayBetween({ has }, from, to)) return undefined;
  const flags = [weekdays && `--weekdays ${weekdays.join(',')}`, free && '--free'].filter(Boolean);
  return usageError(`${flags.join(' with ')}: none of these days in ${formatRange({ from, to })}`);
}

/** `2024-03-01`, or `2024-03-01 to 2024-03-05` with both days included. */
export function formatRange({ from, to }: Pick<SelectedDays, 'from' | 'to'>): string {
  const last = (to - 1) as Day;
  return last === from ? formatDay(from) : `${formatDay(from)} to ${formatDay(last)}`;
}

/** The selected days one by one, as `YYYY-MM-DD`. The range must have both ends. */
export function listDays({ from, to, has }: SelectedDays): readonly string[] {
  const days: string[] = [];
  for (let day = from; day < to; day++) if (has(day as Day)) days.push(formatDay(day as Day));
  return days;
}

/** Short names of the weekdays, Monday first. */
const WEEKDAY_NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/**
 * Parses weekdays and ranges of weekdays, such as `mon-fri` or `sat,sun`. A range may include the end of a
 * week, as in `sat-mon`.
 * @throws usage error for any other word.
 */
export function parseWeekdays(items: readonly string[]): DayTest {
  const selected = new Set<number>();
  for (const item of items) {
    const [first = '', last = first, ...more] = item
      .trim()
      .toLowerCase()
      .split('-')
      .map((word) => word.trim());
    const [from, to] = [first, last].map((word) => WEEKDAY_NAMES.findIndex((name) => isDayName(word, name)));
    if (from === undefined || to === undefined || from < 0 || to < 0 || more.length > 0) {
      throw usageError(
        `"${item}" is not a weekday; use ${WEEKDAY_NAMES.join(', ')}, or a range such as mon-fri`,
      );
    }
    for (let day = from; ; day = (day + 1) % 7) {
      selected.add(day);
      if (day === to) break;
    }
  }
  return (day) => selected.has(dayToWeekday(day));
}

/** Accepts `mon`, `monday` and any abbreviation between them. */
function isDayName(word: string, name: string): boolean {
  const whole = { tue: 'tuesday', wed: 'wednesday', thu: 'thursday', sat: 'saturday' }[name] ?? `${name}day`;
  return word.length >= name.length && whole.startsWith(word);
}

/** 1970-01-01 was a Thursday. */
function dayToWeekday(day: Day): number {
  return (((day + 3) % 7) + 7) % 7;
}
