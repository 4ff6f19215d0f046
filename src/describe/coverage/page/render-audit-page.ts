import { basename } from 'node:path/posix';
import { escapeHtml } from '../../../base/text.js';
import { formatCount } from '../../../base/units.js';
import { type AuditedDay, DAY_CONDITIONS, type DayCondition } from '../../../events/audited-day.js';
import { groupBySeries } from './audited-series.js';
import { formatNumber } from './browser/format-value.js';
import { type StateWords, toPageData } from './page-data.js';
import { describeCorruption } from './page-day.js';
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
