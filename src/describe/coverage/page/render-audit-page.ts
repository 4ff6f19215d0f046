import { basename } from 'node:path/posix';
import { escapeHtml } from '../../../base/text.js';
import { formatCount } from '../../../base/units.js';
import { type Day, parseDay } from '../../../day-files/day.js';
import { type AuditedDay, DAY_CONDITIONS, type DayCondition } from '../../../events/audited-day.js';
import { formatNumber } from './format-value.js';
import {
  describeCorruption,
  type PageSeries,
  type PageState,
  type StateWords,
  toPageData,
  toPageDay,
} from './page-data.js';
import { type ReportOptions, renderReport } from './render-report.js';

const WORDS: readonly StateWords[] = [
  { state: 'p', word: 'available', isListed: false },
  { state: 'e', word: 'available', note: 'no rows', isListed: false },
  { state: 'd', word: 'degraded', isListed: true },
  { state: 'm', word: 'missing', note: 'no file', isListed: true },
  { state: 'n', word: 'pending', note: 'not exported yet', isListed: true },
  { state: 'c', word: 'corrupt', isListed: true },
];

/** Renders the verdicts of an audit as one page that loads nothing: a calendar of conditions for each series. */
export function renderAuditPage(days: readonly AuditedDay[], options: ReportOptions): string {
  const series = groupBySeries(days);
  const count = (condition: DayCondition): number => days.filter((day) => day.condition === condition).length;
  return renderReport(
    {
      subject: 'Audit',
      totals: [
        ['series', formatNumber(series.length)],
        ...DAY_CONDITIONS.map((condition) => [`days ${condition}`, formatNumber(count(condition))] as const),
        ['rows', formatCount(series.reduce((sum, { rows }) => sum + rows, 0))],
      ],
      sections: renderFilesWithoutDay(days.filter(({ date }) => date === '')),
      orders: [
        ['degraded', 'by degraded and corrupt days'],
        ['missing', 'by missing days'],
        ['rows', 'by rows'],
      ],
      help: 'Click a day for its details. In a calendar the arrow keys go from day to day, Page Down to the next day that is not available, and Enter shows the details.',
      data: toPageData(series, {}, { words: WORDS, listTitle: 'Days that are not available' }),
    },
    options,
  );
}

function renderFilesWithoutDay(files: readonly AuditedDay[]): string {
  if (files.length === 0) return '';
  const items = files.map((file) => {
    const { condition, reasons, path } = file;
    const text = describeCorruption(file) ?? [basename(path ?? ''), ...reasons].join(', ');
    return `<li>${condition}: ${escapeHtml(text)}</li>`;
  });
  return `<p>Files whose day is unknown:</p><ul>${items.join('')}</ul>`;
}

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
function groupBySeries(days: readonly AuditedDay[]): readonly PageSeries[] {
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
