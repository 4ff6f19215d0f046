import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The charting library (uPlot), which its script leaves behind as a global. */
export interface ChartParts {
  readonly script: string;
  readonly style: string;
}

/** Reads the charting library, which the build puts beside this module. */
export function readChartParts(): ChartParts {
  return JSON.parse(readFileSync(new URL('./chart.json', import.meta.url), 'utf8')) as ChartParts;
}

/** How a content security policy names a script or a style that stands in the page. */
export function contentHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
