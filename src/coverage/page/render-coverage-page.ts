import { formatCount, formatSize } from '../../base/units.js';
import type { Coverage } from '../coverage-facts.js';
import { formatNumber } from './browser/format-value.js';
import { type StateWords, toPageData } from './page-data.js';
import { type ReportOptions, renderReport } from './render-report.js';

const WORDS: readonly StateWords[] = [
  { state: 'p', word: 'present', isListed: false },
  { state: 'e', word: 'empty', note: 'no rows', isListed: true },
  { state: 'm', word: 'missing', isListed: true },
];

/** Renders the coverage of a folder as one page that loads nothing. */
export function renderCoveragePage(
  { series, totals, byDay, byRecording }: Coverage,
  options: ReportOptions,
): string {
  const { exchanges, present, empty, missing, gone, rows, bytes } = totals;
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
      ],
      help: 'In a calendar the arrow keys go from day to day, and Page Down to the next day that is missing or empty.',
      data: toPageData(series, charts, { words: WORDS, listTitle: 'Missing and empty days' }),
    },
    options,
  );
}

function renderGoneNote(gone: number): string {
  return `<p>Recorded, but no longer on disk: ${formatNumber(gone)} of the missing days. <code>tickhaul verify --repair</code> downloads them again.</p>`;
}
