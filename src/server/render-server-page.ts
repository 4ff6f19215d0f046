import { readFileSync } from 'node:fs';
import { VERSION } from '../base/packages.js';
import { BASE_STYLE, contentHash, readChartParts } from '../base/page/base-style.js';
import { urlPort, webSocketPort } from './endpoints.js';

interface RenderedServerPage {
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

/** Host names and IPv4 addresses; a policy cannot contain IPv6 addresses. */
const HOST = /^[a-z\d.-]+$/;

/**
 * Creates the content security policy of the page: its own scripts and styles, and its server's two ports.
 * @param host Host header with the HTTP port; WebSocket uses the next port.
 */
export function createContentSecurityPolicy(
  { scripts, styles }: Pick<RenderedServerPage, 'scripts' | 'styles'>,
  host = '',
): string {
  const page = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
  const sockets =
    page && HOST.test(page.hostname) ? ` ws://${page.hostname}:${webSocketPort(urlPort(page))}` : '';
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${styles}`,
    'img-src data:',
    `connect-src 'self'${sockets}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Replay viewer of the page. */
const VIEWER = `
<section aria-labelledby="viewer-title">
<h2 id="viewer-title">Watch a replay</h2>
<form id="watch" class="card" autocomplete="off">
<div class="fields">
<label>Exchange <select name="exchange"></select></label>
<label>Symbol <input name="symbol" list="watch-symbols" spellcheck="false" autocapitalize="off"></label>
<datalist id="watch-symbols"></datalist>
<label>From <input name="from" placeholder="2024-03-01T00:00" spellcheck="false"></label>
<label>To (exclusive) <input name="to" placeholder="2024-03-01T01:00" spellcheck="false"></label>
<label>Speed <select name="speed">
<option value="1">real time</option>
<option value="10">10 times</option>
<option value="60">1 minute per second</option>
<option value="600" selected>10 minutes per second</option>
<option value="3600">1 hour per second</option>
<option value="Infinity">as fast as possible</option>
</select></label>
</div>
<fieldset class="ticks">
<legend>Show</legend>
<label><input type="checkbox" name="trade" checked> trades</label>
<label><input type="checkbox" name="book" checked> book, 10 levels</label>
<label><input type="checkbox" name="ticker" checked> derivative ticker</label>
</fieldset>
<div class="buttons">
<button class="first" id="start" type="submit">Start</button>
<button id="pause" type="button" aria-disabled="true">Pause</button>
<button id="step" type="button" aria-disabled="true">Step</button>
<button id="stop" type="button" aria-disabled="true">Stop</button>
</div>
<p id="state" role="status">Select an exchange, a symbol and a period, then press Start.</p>
<p class="where"><progress id="progress" max="1" value="0" aria-label="Position in the period"></progress>
<span id="position">–</span><span id="count">0 messages</span></p>
</form>
<div class="views" id="views" hidden>
<figure class="wide"><figcaption>Price</figcaption><div id="price" class="chart"></div></figure>
<figure><figcaption>Book</figcaption><table class="book" aria-label="Book: best 10 levels of each side"><thead><tr><th scope="col">price</th><th scope="col">amount</th></tr></thead><tbody id="asks"></tbody><tbody class="middle"><tr><td id="spread" colspan="2">spread –</td></tr></tbody><tbody id="bids"></tbody></table></figure>
<figure><figcaption>Trades</figcaption><table class="trades" aria-label="Trades: the latest first"><thead><tr><th scope="col">local time</th><th scope="col">side</th><th scope="col">price</th><th scope="col">amount</th></tr></thead><tbody id="trades"></tbody></table></figure>
<figure><figcaption>Derivative ticker</figcaption><dl class="ticker" id="ticker">
<div><dt>last price</dt><dd data-field="lastPrice">–</dd></div>
<div><dt>mark price</dt><dd data-field="markPrice">–</dd></div>
<div><dt>index price</dt><dd data-field="indexPrice">–</dd></div>
<div><dt>funding rate</dt><dd data-field="fundingRate">–</dd></div>
<div><dt>open interest</dt><dd data-field="openInterest">–</dd></div>
</dl></figure>
</div>
</section>`;

/** Common data types, offered as buttons; any other can be typed. */
const COMMON_TYPES = [
  'trade',
  'book_change',
  'derivative_ticker',
  'liquidation',
  'option_summary',
  'book_ticker',
  'book_snapshot_10_100ms',
  'quote',
  'trade_bar_1m',
];

const TYPE_BUTTONS = COMMON_TYPES.map(
  (name) => `<button type="button" data-type="${name}" aria-pressed="false">${name}</button>`,
).join('');

/** Address builder of the page. Fields have the names of options; `data-field` shows and hides them. */
const BUILDER = `
<section aria-labelledby="builder-title">
<h2 id="builder-title">Build an address</h2>
<form id="build" class="card" autocomplete="off">
<label class="endpoint">Endpoint <select name="endpoint">
<option value="/replay">/replay: an exchange’s own messages</option>
<option value="/replay-normalized" selected>/replay-normalized: normalized messages</option>
<option value="/ws-replay">/ws-replay: own messages, WebSocket</option>
<option value="/ws-replay-normalized">/ws-replay-normalized: normalized, WebSocket</option>
<option value="/ws-stream-normalized">/ws-stream-normalized: live, WebSocket</option>
</select></label>
<div id="selections"></div>
<div class="buttons"><button id="add" type="button">Merge with another</button></div>
<label data-try>Subscribe message, as the exchange’s clients send it <input id="subscribe" spellcheck="false" placeholder='{"op":"subscribe","args":["trade:XBTUSD"]}'></label>
<label for="address">Address</label>
<textarea id="address" readonly rows="4" spellcheck="false"></textarea>
<div class="buttons">
<button class="first" id="copy" type="button">Copy</button>
<button id="try" type="button">Try it</button>
</div>
<p id="build-state" role="status"></p>
<pre id="answer" tabindex="0" aria-label="First lines of the response" hidden></pre>
</form>
<template id="selection">
<fieldset class="selection">
<legend>Options</legend>
<div class="fields">
<label data-field="exchange">Exchange <select name="exchange"></select></label>
<label data-field="symbols">Symbols, empty for all <input name="symbols" spellcheck="false" autocapitalize="off" placeholder="XBTUSD, ETHUSD"></label>
<label data-field="from">From <input name="from" spellcheck="false" placeholder="2024-03-01"></label>
<label data-field="to">To (exclusive) <input name="to" spellcheck="false" placeholder="2024-03-01T01:00"></label>
<label data-field="session">Session <input name="session" spellcheck="false" placeholder="none"></label>
<label data-field="timeoutIntervalMS">Silence timeout in milliseconds <input name="timeoutIntervalMS" inputmode="numeric" placeholder="10000"></label>
</div>
<div data-field="dataTypes"><label>Data types <input name="dataTypes" spellcheck="false" autocapitalize="off" value="trade"></label>
<div class="chips" role="group" aria-label="Data types to add or remove">${TYPE_BUTTONS}</div></div>
<label data-field="filters">Channels, one per line, with symbols after a colon; empty for all <textarea name="filters" rows="3" spellcheck="false" placeholder="trade: XBTUSD"></textarea></label>
<div class="ticks">
<label data-field="withDisconnects"><input type="checkbox" name="withDisconnects"> an empty line for each disconnect</label>
<label data-field="withDisconnectMessages"><input type="checkbox" name="withDisconnectMessages"> disconnect messages</label>
<label data-field="withErrorMessages"><input type="checkbox" name="withErrorMessages"> error messages</label>
</div>
<button type="button" class="remove">Remove</button>
</fieldset>
</template>
</section>`;

/** Style sheet of the page, for light and dark mode. */
const SERVER_PAGE_STYLE = `${BASE_STYLE}
:root { --buy: #0f7a55; --sell: #b8330f; --buy-fill: #0f7a5526; --sell-fill: #b8330f26; --on-main: #ffffff; }
@media (prefers-color-scheme: dark) {
  :root { --buy: #4cc79a; --sell: #ff8a6b; --buy-fill: #4cc79a2e; --sell-fill: #ff8a6b2e; --on-main: #10151b; }
}
.totals { grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); }
.totals dd.soft { font-size: 13px; font-weight: 400; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px; }
.problem { color: var(--sell); }
.names { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 2px 16px; margin: 8px 0; padding: 0; list-style: none; font-size: 14px; }
.names li { overflow-wrap: anywhere; }
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 190px), 1fr)); gap: 12px; }
label { display: grid; gap: 4px; font-size: 14px; color: var(--soft); }
label > input, label > select, label > textarea { width: 100%; min-width: 0; color: var(--text); font-size: 15px; }
select { text-overflow: ellipsis; }
input, select { min-height: 40px; }
input[type='checkbox'] { min-height: 0; }
fieldset { min-width: 0; margin: 12px 0 0; padding: 0; border: 0; }
legend { padding: 0; font-size: 14px; color: var(--soft); }
.ticks { display: flex; flex-wrap: wrap; gap: 4px 20px; margin-top: 12px; }
.ticks legend { float: left; margin-right: 4px; }
.ticks label { display: flex; gap: 8px; align-items: center; color: var(--text); }
.ticks input { width: 17px; height: 17px; margin: 0; flex: none; accent-color: var(--main); }
.buttons { display: flex; flex-wrap: wrap; gap: 10px; margin: 16px 0 12px; }
button { min-height: 40px; padding: 7px 16px; }
@media (max-width: 500px) { .buttons { gap: 8px; } .buttons button { padding: 7px 12px; } }
button.first { background: var(--main); border-color: var(--main); color: var(--on-main); font-weight: 600; }
button[aria-disabled='true'] { color: var(--soft); border-color: var(--line); cursor: default; }
button.first[aria-disabled='true'] { background: none; }
#state, #build-state { margin: 0 0 10px; min-height: 1.5em; overflow-wrap: anywhere; }
[data-kind='problem'] { color: var(--sell); font-weight: 600; }
[data-kind='done'] { color: var(--buy); font-weight: 600; }
.where { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; margin: 0; font-size: 14px; font-variant-numeric: tabular-nums; color: var(--soft); }
progress { flex: 1 1 160px; height: 8px; appearance: none; border: 0; border-radius: 4px; overflow: hidden; background: var(--line); }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--main); }
progress::-moz-progress-bar { background: var(--main); }
.views { display: grid; grid-template-columns: minmax(0, 1fr); gap: 12px; margin-top: 12px; align-items: start; }
@media (min-width: 660px) { .views { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
@media (min-width: 960px) { .views { grid-template-columns: repeat(3, minmax(0, 1fr)); } }
.wide { grid-column: 1 / -1; }
.chart { min-height: 296px; }
table { width: 100%; border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th { padding: 0 0 4px; font-weight: 400; font-size: 13px; color: var(--soft); text-align: right; }
td { padding: 0; height: 21px; line-height: 21px; text-align: right; white-space: nowrap; }
.trades th:first-child, .trades td:first-child, .trades th:nth-child(2), .trades td:nth-child(2) { text-align: left; }
.book td:first-child, .book th:first-child { text-align: left; width: 50%; }
.book td { position: relative; }
.book .bar { position: absolute; top: 1px; bottom: 1px; right: 0; border-radius: 3px 0 0 3px; }
.book .text { position: relative; padding-right: 6px; }
.book .middle td { text-align: center; width: auto; color: var(--soft); border-block: 1px solid var(--line); height: 27px; }
#asks .bar { background: var(--sell-fill); } #bids .bar { background: var(--buy-fill); }
#asks td:first-child, .sell { color: var(--sell); } #bids td:first-child, .buy { color: var(--buy); }
.ticker { margin: 0; }
.ticker div { display: flex; justify-content: space-between; gap: 12px; padding: 5px 0; border-bottom: 1px solid var(--line); }
.ticker div:last-child { border: 0; }
.ticker dd { font-size: 15px; }
.endpoint { max-width: 460px; }
.selection { border: 1px solid var(--line); border-radius: 8px; padding: 12px; }
.selection legend { padding: 0 6px; }
.selection + .selection { margin-top: 16px; }
.selection:only-child { border: 0; padding: 0; }
.selection:only-child legend { display: none; }
.selection > label, .selection > div { margin-top: 12px; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 8px; }
.chips button { min-height: 32px; padding: 3px 10px; border-radius: 16px; border-color: var(--line); font-size: 13.5px; color: var(--soft); }
.chips button[aria-pressed='true'] { border-color: var(--main); color: var(--main); font-weight: 600; }
.remove { margin-top: 12px; }
textarea { width: 100%; resize: vertical; }
#address, #answer { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
#address { display: block; margin-top: 4px; overflow-wrap: anywhere; background: var(--page); }
label[for='address'], [data-try] { margin-top: 12px; }
#answer { margin: 0; padding: 10px 12px; max-height: 320px; overflow: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--page); }
@media (prefers-reduced-motion: no-preference) { button { transition: border-color 0.15s; } button:hover { border-color: var(--main); } }
`;
