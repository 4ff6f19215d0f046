import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** In the order in which they are needed; the page has them as one script. */
const MODULES = [
  '../../base/errors.js',
  '../../base/units.js',
  '../../dataset/day.js',
  '../runs.js',
  './browser/elements.js',
  './browser/layout.js',
  './browser/drawing.js',
  './browser/tooltip.js',
  './browser/calendar.js',
  './browser/charts.js',
  './browser/series.js',
  './browser/list.js',
  './browser/main.js',
];

/** The charting library's script and style sheet, from where the package is installed. */
export function chartLibrary(): { readonly script: string; readonly style: string } {
  const require = createRequire(import.meta.url);
  const read = (file: string): string => readFileSync(require.resolve(`uplot/dist/${file}`), 'utf8');
  return { script: read('uPlot.iife.min.js'), style: read('uPlot.min.css') };
}

/**
 * The page's own script. A page that opens from disk can't load one module from another, so they are put together:
 * each imports only from those before it, and no two share a name.
 */
export function pageScript(): string {
  return MODULES.map((path) => withoutModuleWords(readFileSync(new URL(path, import.meta.url), 'utf8'))).join(
    '\n',
  );
}

function withoutModuleWords(code: string): string {
  return code
    .replace(/^import\s[^;]*;\n/gm, '')
    .replace(/^export \{\};\n/gm, '')
    .replace(/^export (?=(?:async )?(?:function|class|const|let)\b)/gm, '')
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '');
}
