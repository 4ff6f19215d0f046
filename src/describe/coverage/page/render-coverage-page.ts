import { formatCount, formatSize } from '../../../base/units.js';
import type { Coverage, SeriesCoverage } from '../coverage-facts.js';
import { formatNumber } from './format-value.js';
import { type PageSeries, type StateWords, toPageData } from './page-data.js';
import { type ReportOptions, renderReport } from './render-report.js';

const WORDS: readonly StateWords[] = [
  { state: 'p', word: 'present', isListed: false },
  { state: 'e', word: 'empty', note: 'no rows', isListed: true },
  { state: 'm', word: 'missing', isListed: true },
];

/** The words if days of the folder were audited. */
const WORDS_WITH_DEGRADED: readonly StateWords[] = [
  { state: 'p', word: 'present', isListed: false, counted: 'pd' },
  ...WORDS.slice(1),
  { state: 'd', word: 'degraded', isListed: true },
];

/** Renders the coverage of a folder as one page that loads nothing. */
export function renderCoveragePage(
  { series, totals, byDay, byRecording }: Coverage,
  options: ReportOptions,
): string {
  const { exchanges, present, empty, missing, gone, rows, bytes, audited, degraded } = totals;
  const isAudited = audited > 0;
  const charts = { 'by-day': byDay, 'by-recording': byRecording };
  return renderReport(
    {
      subject: 'Coverage',
      totals: [
        ['series', formatNumber(totals.series)],
        ['exchanges', formatNumber(exchanges)],
        ['days present', formatNumber(present)],
        ['days empty', formatNumber(empty)],
        ['days missing', formatNumber(missing)],
        ...(isAudited ? [['days degraded', formatNumber(degraded)] as const] : []),
        ['rows', formatCount(rows)],
        ['size', formatSize(bytes)],
      ],
      sections: `${gone === 0 ? '' : renderGoneNote(gone)}<section class="charts" aria-label="Growth">
<figure><figcaption>Size of each day’s data</figcaption><div class="chart" id="by-day"></div></figure>
<figure><figcaption>Size of the folder, by the day of download</figcaption><div class="chart" id="by-recording"></div></figure>
</section>`,
      orders: [
        ['missing', 'by missing days'],
        ['size', 'by size'],
        ...(isAudited ? [['degraded', 'by degraded days'] as const] : []),
      ],
      help: `In a calendar the arrow keys go from day to day, and Page Down to the next day that is ${isAudited ? 'degraded, ' : ''}missing or empty.`,
      data: toPageData(series.map(markDegradedDays), charts, {
        words: isAudited ? WORDS_WITH_DEGRADED : WORDS,
        listTitle: isAudited ? 'Degraded, missing and empty days' : 'Missing and empty days',
      }),
    },
    options,
  );
}

function renderGoneNote(gone: number): string {
  return `<p>Recorded, but no longer on disk: ${formatNumber(gone)} of the missing days. <code>tickhaul verify --repair</code> downloads them again.</p>`;
}

function markDegradedDays({ degradedDays, ...series }: SeriesCoverage): PageSeries {
  const states = [...series.states];
  const days = degradedDays.map(
    ({ day, reasons }) => [day - series.first, { reasons, incidents: [] }] as const,
  );
  for (const [index] of days) if (states[index] === 'p') states[index] = 'd';
  return { ...series, states: states.join(''), days: new Map(days) };
}
