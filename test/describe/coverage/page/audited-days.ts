import { type Day, formatDay, parseDay } from '../../../../src/day-files/day.js';
import type {
  AuditedDay,
  ContentResult,
  DayCondition,
  RowPlace,
} from '../../../../src/events/audited-day.js';

const US_PER_HOUR = 3_600_000_000;
export const FIRST_DAY = '2024-01-15';

/** Microseconds since the epoch. @param hours since the start of the day. */
const timeAt = (day: Day, hours: number): number => (day * 24 + hours) * US_PER_HOUR;

/** A day of the trades of deribit BTC-PERPETUAL, 0 for the first. */
function createDay(index: number, changes: Partial<AuditedDay> = {}): AuditedDay {
  const day = (parseDay(FIRST_DAY) + index) as Day;
  return {
    exchange: 'deribit',
    dataType: 'incremental_book_L2',
    symbol: 'BTC-PERPETUAL',
    date: formatDay(day),
    path: `/home/jo/data/deribit_incremental_book_L2_${formatDay(day)}_BTC-PERPETUAL.csv.gz`,
    condition: 'available',
    reasons: [],
    incidents: [],
    rows: 1_000_000 + 1000 * index,
    symbols: 1,
    firstLocalTimestamp: timeAt(day, 0) + 120_000,
    lastLocalTimestamp: timeAt(day, 24) - 340_000,
    latencyMicroseconds: { p50: 12_000 + 100 * index, p99: 98_000, max: 4_200_000 },
    checks: {
      local_order: { count: 0 },
      future_timestamp: createResult(day, 4, 3, { maxMicroseconds: 1200 }),
    },
    ...changes,
  };
}

function createResult(day: Day, count: number, hours: number, more: Partial<ContentResult>): ContentResult {
  const first: RowPlace = { row: 12_345, localTimestamp: timeAt(day, hours), symbol: 'BTC-PERPETUAL' };
  return { count, first, ...more };
}

function createDegradedDay(index: number): AuditedDay {
  const day = (parseDay(FIRST_DAY) + index) as Day;
  return createDay(index, {
    condition: 'degraded',
    reasons: ['gap', 'crossed', 'incident'],
    incidents: [
      {
        from: `${formatDay(day)}T05:00:00.000Z`,
        to: `${formatDay(day)}T09:00:00.000Z`,
        status: 'resolved',
        details: 'connection <lost>',
      },
    ],
    latencyMicroseconds: { p50: 15_000, p99: 900_000, max: 3_600_000_000 },
    checks: {
      gap: createResult(day, 2, 8, {
        seconds: 12_600,
        longest: { start: timeAt(day, 5), seconds: 10_800 },
      }),
      exchange_order: createResult(day, 1204, 9, { maxMicroseconds: 98_123 }),
      crossed: createResult(day, 31, 14, { seconds: 754, longest: { start: timeAt(day, 14), seconds: 700 } }),
    },
    gaps: [
      { start: timeAt(day, 5), end: timeAt(day, 8) },
      { start: timeAt(day, 20), end: timeAt(day, 20.5) },
    ],
  });
}

function createDayWithoutContent(index: number, condition: DayCondition): AuditedDay {
  const { checks, rows, symbols, firstLocalTimestamp, lastLocalTimestamp, latencyMicroseconds, ...day } =
    createDay(index);
  return { ...day, condition, path: null };
}

/** Days of two series with every condition: two degraded ones, a corrupt, two missing, an empty and a pending one. */
export function createAuditedDays(): readonly AuditedDay[] {
  const days = Array.from({ length: 60 }, (_, index) => createDay(index));
  days[10] = createDegradedDay(10);
  days[40] = createDegradedDay(40);
  days[20] = createDay(20, {
    rows: 0,
    symbols: 0,
    firstLocalTimestamp: null,
    lastLocalTimestamp: null,
    latencyMicroseconds: null,
    checks: {},
  });
  days[30] = createDayWithoutContent(30, 'missing');
  days[31] = createDayWithoutContent(31, 'missing');
  const { path } = createDay(50);
  const message = `${path}: gzip data ends early`;
  days[50] = { ...createDayWithoutContent(50, 'corrupt'), path, error: { code: 'corrupt', message } };
  days[59] = createDayWithoutContent(59, 'pending');
  const others = days.slice(0, 3).map((day) => ({ ...day, dataType: 'trades', symbol: '</SCRIPT><B>' }));
  return [...days, ...others];
}
