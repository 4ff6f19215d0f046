import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { contentHash, readChartParts } from '../../../base/page/base-style.js';
import { escapeHtml } from '../../../base/text.js';
import { VERSION } from '../../../base/version.js';
import type { PageData, StateWords } from './page-data.js';
import { REPORT_STYLE } from './report-style.js';
import { REPORT_MARK } from './write-report.js';

export interface ReportOptions {
  /** Download folder; only its last name is shown. */
  readonly dir: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Contents of a report. Texts are HTML. */
export interface Report {
  /** What the report shows of the folder, such as `Coverage`. */
  readonly subject: string;
  /** Names and values of the tiles at the top. */
  readonly totals: readonly (readonly [name: string, value: string])[];
  /** Sections between the tiles and the calendars. */
  readonly sections: string;
  /** Orders of the series besides the one by name: the key and its words. */
  readonly orders: readonly (readonly [key: string, words: string])[];
  /** How to use a calendar. */
  readonly help: string;
  readonly data: PageData;
}

/** The bundled modules of `browser/`, which the build writes next to this module. */
export function readCoveragePageScript(): string {
  return readFileSync(new URL('./coverage-page.txt', import.meta.url), 'utf8');
}

/** Renders a report as one page that loads nothing; its content security policy allows only its own content. */
export function renderReport(report: Report, { dir, now }: ReportOptions): string {
  const chart = readChartParts();
  const script = readCoveragePageScript();
  const style = chart.style + REPORT_STYLE;
  const policy = `default-src 'none'; style-src ${contentHash(style)}; script-src ${contentHash(chart.script)} ${contentHash(script)}; img-src data:; base-uri 'none'; form-action 'none'`;
  const title = `${report.subject} of ${escapeHtml(basename(resolve(dir)))}`;
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
<dl class="totals">${report.totals.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl>
<noscript><p>The charts and calendars are drawn by a script, which is turned off in this browser.</p></noscript>
${report.sections}
<section aria-labelledby="calendars">
<h2 id="calendars">Calendars</h2>
<form class="controls">
<label>Filter <input id="filter" type="search" placeholder="exchange, type, symbol" autocomplete="off" spellcheck="false"></label>
<label>Sort <select id="sort"><option value="name">by name</option>${report.orders.map(([key, words]) => `<option value="${key}">${words}</option>`).join('')}</select></label>
<output id="shown" for="filter sort"></output>
</form>
<p class="legend">${report.data.words.map(renderLegendEntry).join('')}</p>
<p class="soft">A column is a week, from Monday down. ${report.help}</p>
<div id="list"></div>
<button id="more" type="button" hidden>Show more</button>
</section>
</main>
<div id="tooltip" role="status" hidden></div>
<script type="application/json" id="data">${escapeForScript(JSON.stringify(report.data))}</script>
<script>${chart.script}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

function renderLegendEntry({ state, word, note }: StateWords): string {
  const text = note === undefined ? word : `${word}: ${note}`;
  return `<span><canvas data-state="${state}" width="12" height="12"></canvas>${text}</span>`;
}

/** Escapes `<`, since a script element ends at `</script` even within a string (HTML Standard, section 4.12.1.3). */
function escapeForScript(json: string): string {
  return json.replaceAll('<', '\\u003c');
}
