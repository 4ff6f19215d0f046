import { readFileSync } from 'node:fs';
import { contentHash, readChartParts } from '../../base/page/chart-parts.js';
import { VERSION } from '../../base/version.js';
import { BUILDER } from './builder-html.js';
import { SERVER_PAGE_STYLE } from './server-page-style.js';
import { VIEWER } from './viewer-html.js';

export interface RenderedServerPage {
  readonly html: string;
  /** Hashes of the inline scripts and styles for the content security policy. */
  readonly scripts: string;
  readonly styles: string;
}

/** The bundled modules of `browser/`, which the build writes next to this module. */
export function readServerPageScript(): string {
  return readFileSync(new URL('./server-page.txt', import.meta.url), 'utf8');
}

/** Renders the page at `/`. It is static; its script loads the facts of the server. */
export function renderServerPage(): RenderedServerPage {
  const chart = readChartParts();
  const script = readServerPageScript();
  const style = chart.style + SERVER_PAGE_STYLE;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>tickhaul serve</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header>
<h1>tickhaul serve</h1>
<p class="soft">Local replay server, version ${VERSION}. Times are UTC.</p>
</header>
<main>
<noscript><p>This page requires JavaScript, which is turned off in this browser. The endpoints work without it.</p></noscript>
<section aria-label="Server status">
<dl class="totals">
<div><dt>source</dt><dd id="source">–</dd></div>
<div><dt>exchanges</dt><dd id="exchange-count">–</dd></div>
<div id="cache-tile"><dt>cache</dt><dd id="cache">–</dd><dd class="soft" id="cache-limit"></dd></div>
<div><dt>up for</dt><dd id="uptime">–</dd></div>
<div><dt>messages sent</dt><dd id="sent">–</dd></div>
</dl>
<p id="facts-problem" class="problem" role="status" hidden></p>
<details id="exchange-list"><summary>Exchanges with their first day</summary><ul class="names"></ul></details>
</section>
${VIEWER}
${BUILDER}
</main>
<script>${chart.script}</script>
<script type="module">${script}</script>
</body>
</html>
`;
  return { html, scripts: `${contentHash(chart.script)} ${contentHash(script)}`, styles: contentHash(style) };
}
