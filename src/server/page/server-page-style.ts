import { BASE_STYLE } from '../../base/page/base-style.js';

/** Style sheet of the page, for light and dark mode. */
export const SERVER_PAGE_STYLE = `${BASE_STYLE}
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
