import { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { isSystemError, toDiskError, usageError } from '../../../base/errors.js';
import { type OutputHost, type OutputTarget, writeOutput } from '../../../base/output-sink.js';
import { VERSION } from '../../../base/packages.js';
import { BASE_STYLE, contentHash, readChartParts } from '../../../base/page/base-style.js';
import { escapeHtml } from '../../../base/text.js';
import type { PageData, StateWords } from './page-data.js';

/** Style sheet of the pages, for light and dark mode. */
const REPORT_STYLE = `${BASE_STYLE}
:root { --degraded: #a3218e; --corrupt: #1c2430; }
@media (prefers-color-scheme: dark) { :root { --degraded: #f08be0; --corrupt: #e8ecf2; } }
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
.checks {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 360px), 1fr)); gap: 2px 20px;
  margin: 4px 0 16px; padding: 0; list-style: none;
}
.checks li { margin: 0; }
.checks b { color: var(--text); font-weight: 600; }
abbr { text-decoration: underline dotted; text-underline-offset: 3px; cursor: help; }
#tooltip {
  position: absolute; z-index: 10; padding: 4px 10px; border-radius: 6px; pointer-events: none;
  background: var(--text); color: var(--page); font-size: 13px; max-width: min(320px, 100vw - 16px);
}
.day { margin-top: 12px; padding: 12px 0 4px; border-top: 1px solid var(--line); font-size: 14px; }
.day h4 { margin: 0 0 8px; font-size: 15px; }
.day h5 { margin: 12px 0 4px; font-size: 14px; }
.day p { margin: 8px 0; overflow-wrap: anywhere; }
.day-buttons { display: flex; flex-wrap: wrap; gap: 8px; }
.day-buttons button, li button { display: inline-block; margin: 0; padding: 4px 10px; font-size: 13px; }
.lanes { margin: 12px 24px 12px 0; }
.lane { display: grid; grid-template-columns: 130px 1fr; align-items: center; min-height: 22px; }
.lane-name { font-size: 12px; overflow-wrap: anywhere; padding-right: 8px; }
.track { position: relative; height: 14px; background: var(--page); border-radius: 3px; }
.mark { position: absolute; top: 0; height: 100%; min-width: 2px; }
.mark.present { background: var(--present); }
.mark.degraded { background: var(--degraded); }
.mark.noted { background: var(--soft); top: 35%; height: 30%; }
.ticks { position: relative; height: 18px; border-top: 1px solid var(--line); }
.tick { position: absolute; transform: translateX(-50%); font-size: 12px; color: var(--soft); white-space: nowrap; }
.scrolled { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 16px 4px 0; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; }
details ul { margin: 6px 0 0; padding: 0; list-style: none; max-height: 320px; overflow-y: auto; font-size: 14px; }
li { margin: 0 0 6px; }
details figure { margin-top: 12px; }
@media (max-width: 500px) {
  .lane { grid-template-columns: 112px 1fr; }
  thead { display: none; }
  tr { display: block; padding: 6px 0; border-bottom: 1px solid var(--line); }
  td { display: inline-block; border: 0; padding: 0 12px 0 0; }
  td:first-child { font-weight: 600; }
}
`;

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
${renderReasons(report.data.reasons)}<div id="list"></div>
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

/** What the checks mean that occur on the page. */
function renderReasons(reasons: PageData['reasons'] = []): string {
  if (reasons.length === 0) return '';
  const items = reasons.map(([name, meaning]) => `<li><b>${name}</b>: ${escapeHtml(meaning)}</li>`);
  return `<ul class="checks soft" aria-label="Checks">${items.join('')}</ul>\n`;
}

/** Escapes `<`, since a script element ends at `</script` even within a string (HTML Standard, section 4.12.1.3). */
function escapeForScript(json: string): string {
  return json.replaceAll('<', '\\u003c');
}

/** Identifies a report; near the start of every report. */
const REPORT_MARK = '<meta name="generator" content="tickhaul coverage">';

/** The mark is within the first bytes. */
const SEARCHED_BYTES = 1024;

/**
 * Writes a report; a regular file is written completely or not at all. It replaces earlier reports only.
 * @throws usage error if the path is another file; errors of `writeOutput`.
 */
export async function writeReport(target: OutputTarget, html: string, host: OutputHost): Promise<void> {
  await assertReplaceable(target);
  await writeOutput(target, [html], host);
}

/** @throws usage error if the target is an existing file other than a report; `disk`. */
export async function assertReplaceable(target: OutputTarget): Promise<void> {
  if (target.kind === 'file' && (await isOtherFile(target.path))) {
    throw usageError(
      `${target.name}: the file exists and is not a report of tickhaul; choose another name or remove it`,
    );
  }
}

async function isOtherFile(path: string): Promise<boolean> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SEARCHED_BYTES), 0, SEARCHED_BYTES, 0);
    return bytesRead > 0 && !buffer.toString('utf8', 0, bytesRead).includes(REPORT_MARK);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return false;
    throw toDiskError(error, path);
  } finally {
    await handle?.close();
  }
}
