import { type Day, parseDay } from '../../../day-files/day.js';
import type { AuditedDay, DayCondition } from '../../../events/audited-day.js';
import type { PageSeries, PageState } from './page-data.js';
import { toPageDay } from './page-day.js';

const STATES: Readonly<Record<DayCondition, PageState>> = {
  available: 'p',
  degraded: 'd',
  missing: 'm',
  pending: 'n',
  corrupt: 'c',
};

function readPageState({ condition, rows }: AuditedDay): PageState {
  return condition === 'available' && rows === 0 ? 'e' : STATES[condition];
}

/** Groups audited days by series, in the order in which the series first appear; without files of an unknown day. */
export function groupBySeries(days: readonly AuditedDay[]): readonly PageSeries[] {
  const groups = new Map<string, AuditedDay[]>();
  for (const day of days) {
    if (day.date === '') continue;
    const key = JSON.stringify([day.exchange, day.dataType, day.symbol]);
    const group = groups.get(key);
    if (group) group.push(day);
    else groups.set(key, [day]);
  }
  return [...groups.values()].map(createSeries);
}

function createSeries(audited: readonly AuditedDay[]): PageSeries {
  const { exchange, dataType, symbol } = audited[0] as AuditedDay;
  const byDay = new Map<number, AuditedDay>();
  for (const day of audited) {
    const index = parseDay(day.date);
    // Of two files of one day, the page shows the one with a finding.
    if (byDay.get(index)?.condition !== 'available' && byDay.has(index)) continue;
    byDay.set(index, day);
  }
  const indexes = [...byDay.keys()];
  const first = indexes.reduce((a, b) => Math.min(a, b)) as Day;
  const last = indexes.reduce((a, b) => Math.max(a, b));
  const states = Array.from({ length: last - first + 1 }, (_, index) => {
    const day = byDay.get(first + index);
    return day === undefined ? 'o' : readPageState(day);
  });
  const days = new Map([...byDay].map(([day, report]) => [day - first, toPageDay(report)]));
  const rows = [...byDay.values()].reduce((sum, day) => sum + (day.rows ?? 0), 0);
  return { exchange, dataType, symbol, first, states: states.join(''), rows, gone: 0, days };
}
