import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { escapeHtml } from '../../base/escape-html.js';
import { formatCount, formatSize } from '../../base/units.js';
import { VERSION } from '../../base/version.js';
import { BASE_STYLE } from '../../page/base-style.js';
import { contentHash, readChartParts } from '../../page/chart-parts.js';
import type { Coverage, CoverageTotals } from '../coverage-facts.js';
import { toPageData } from './page-data.js';
import { REPORT_MARK } from './write-report.js';

export interface PageOptions {
  /** Download folder; only its last name is shown. */
  readonly dir: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The bundled modules of `browser/`, which the build writes next to this module. */
export function readCoveragePageScript(): string {
  return readFileSync(new URL('./coverage-page.txt', import.meta.url), 'utf8');
}

/** Renders the report as one page that loads nothing; its content security policy allows only its own content. */
export function renderCoveragePage(coverage: Coverage, { dir, now }: PageOptions): string {
  const chart = readChartParts();
  const script = readCoveragePageScript();
  const style = chart.style + COVERAGE_PAGE_STYLE;
  const policy = `default-src 'none'; style-src ${contentHash(style)}; script-src ${contentHash(chart.script)} ${contentHash(script)}; img-src data:; base-uri 'none'; form-action 'none'`;
  const title = `Coverage of ${escapeHtml(basename(resolve(dir)))}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${REPORT_MARK}
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="soft">Created ${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC by tickhaul ${VERSION}</p>
</header>
<main>
${renderTotals(coverage.totals)}
<noscript><p>The charts and calendars are drawn by a script, which is turned off in this browser.</p></noscript>
<section class="charts" aria-label="Growth">
<figure><figcaption>Size of each day’s data</figcaption><div class="chart" id="by-day"></div></figure>
<figure><figcaption>Size of the folder, by the day of download</figcaption><div class="chart" id="by-recording"></div></figure>
</section>
<section aria-labelledby="calendars">
<h2 id="calendars">Calendars</h2>
<form class="controls">
<label>Filter <input id="filter" type="search" placeholder="exchange, type, symbol" autocomplete="off" spellcheck="false"></label>
<label>Sort <select id="sort"><option value="name">by name</option><option value="missing">by missing days</option><option value="size">by size</option></select></label>
<output id="shown" for="filter sort"></output>
</form>
<p class="legend"><span><canvas data-state="p" width="12" height="12"></canvas>present</span><span><canvas data-state="e" width="12" height="12"></canvas>empty: no rows</span><span><canvas data-state="m" width="12" height="12"></canvas>missing</span></p>
<p class="soft">A column is a week, from Monday down. In a calendar the arrow keys go from day to day, and Page Down to the next day that is missing or empty.</p>
<div id="list"></div>
<button id="more" type="button" hidden>Show more</button>
</section>
</main>
<div id="tooltip" role="status" hidden></div>
<script type="application/json" id="data">${escapeForScript(JSON.stringify(toPageData(coverage)))}</script>
<script>${chart.script}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

function renderTotals(totals: CoverageTotals): string {
  const { exchanges, series, present, empty, missing, gone, rows, bytes } = totals;
  const pairs = [
    ['series', formatNumber(series)],
    ['exchanges', formatNumber(exchanges)],
    ['days present', formatNumber(present)],
    ['days empty', formatNumber(empty)],
    ['days missing', formatNumber(missing)],
    ['rows', formatCount(rows)],
    ['size', formatSize(bytes)],
  ];
  const tiles = pairs.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('');
  const note =
    gone === 0
      ? ''
      : `<p>Recorded, but no longer on disk: ${formatNumber(gone)} of the missing days. <code>tickhaul verify --repair</code> downloads them again.</p>`;
  return `<dl class="totals">${tiles}</dl>${note}`;
}

function formatNumber(number: number): string {
  return number.toLocaleString('en');
}

/** Escapes `<`, since a script element ends at `</script` even within a string (HTML Standard, section 4.12.1.3). */
function escapeForScript(json: string): string {
  return json.replaceAll('<', '\\u003c');
}

/** Style sheet of the page, for light and dark mode. */
const COVERAGE_PAGE_STYLE = `${BASE_STYLE}
code { white-space: nowrap; }
.series {
  background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px;
}
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 12px; }
.chart { min-height: 250px; }
.controls { display: flex; flex-wrap: wrap; gap: 12px 20px; align-items: center; margin-bottom: 12px; }
input { width: min(260px, 60vw); }
button { display: block; margin: 16px auto; padding: 9px 20px; }
output { color: var(--soft); }
.legend { display: flex; flex-wrap: wrap; gap: 6px 20px; }
.legend span { display: inline-flex; gap: 6px; align-items: center; }
.legend canvas { width: 12px; height: 12px; }
.series { margin-bottom: 12px; }
.series canvas { display: block; width: 100%; }
summary { margin-top: 8px; }
details p { margin: 6px 0 0; font-size: 14px; max-height: 200px; overflow-y: auto; }
#tooltip {
  position: absolute; z-index: 10; padding: 4px 10px; border-radius: 6px; pointer-events: none;
  background: var(--text); color: var(--page); font-size: 13px; white-space: nowrap;
}
`;
