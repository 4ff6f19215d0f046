import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Common start of the pages' style sheets: light and dark colours, fonts, form fields, focus. */
export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #ffffff; --text: #1c2430; --soft: #56606e; --line: #d5dae1;
  --main: #1857b8; --fill: #2f74c033;
  --present: #2f74c0; --empty: #8a6d00; --missing: #c4410c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --card: #1b212a; --text: #e8ecf2; --soft: #a3adba; --line: #333c48;
    --main: #8ab4f8; --fill: #5aa2e633;
    --present: #5aa2e6; --empty: #e6c229; --missing: #ff8a5c;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0 auto; max-width: 1320px; padding: 24px 16px 64px;
  background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif;
}
@media (max-width: 500px) { body { padding: 20px 12px 48px; } }
h1 { margin: 0; font-size: 26px; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 32px 0 12px; font-size: 20px; }
h3 { margin: 0; font-size: 16px; overflow-wrap: anywhere; }
p { margin: 4px 0 12px; }
.soft { color: var(--soft); font-size: 14px; }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 12px; margin: 20px 0 12px; }
.totals div, figure {
  background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px;
}
dt { color: var(--soft); font-size: 14px; }
dd { margin: 0; font-size: 20px; font-weight: 600; font-variant-numeric: tabular-nums; }
figure { margin: 0; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: 8px; }
.uplot, .u-legend { font: 13px/1.4 system-ui, sans-serif; }
.u-legend th, .u-legend td { font-weight: 400; color: var(--text); }
input, select, button, textarea {
  padding: 7px 10px; border: 1px solid var(--soft); border-radius: 8px;
  background: var(--card); color: inherit; font: inherit;
}
input::placeholder { color: var(--soft); opacity: 1; }
button { cursor: pointer; }
summary { cursor: pointer; color: var(--soft); font-size: 14px; }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; border-radius: 4px; }
`;

/** Script and style of uPlot, the charting library. The script defines a global. */
export interface ChartParts {
  readonly script: string;
  readonly style: string;
}

/** Reads the file that the build writes next to this module. */
export function readChartParts(): ChartParts {
  return JSON.parse(readFileSync(new URL('./chart.json', import.meta.url), 'utf8')) as ChartParts;
}

/**
 * Source expression for an inline script or style in a content security policy (CSP Level 3, section 2.3.1).
 */
export function contentHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
