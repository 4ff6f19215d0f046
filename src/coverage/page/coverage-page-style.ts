import { BASE_STYLE } from '../../page/base-style.js';

/** Style sheet of the page, for light and dark mode. */
export const COVERAGE_PAGE_STYLE = `${BASE_STYLE}
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
