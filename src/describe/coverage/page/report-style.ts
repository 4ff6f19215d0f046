import { BASE_STYLE } from '../../../base/page/base-style.js';

/** Style sheet of the pages, for light and dark mode. */
export const REPORT_STYLE = `${BASE_STYLE}
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
