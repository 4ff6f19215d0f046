import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

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
