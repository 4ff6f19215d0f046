// Writes what the coverage page consists of beside the module that reads it: its own script, and the charting library.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const uplot = (file) => readFileSync(pathOf(`node_modules/uplot/dist/${file}`), 'utf8');

const { outputFiles } = buildSync({
  entryPoints: [pathOf('dist/src/coverage/page/browser/main.js')],
  bundle: true,
  write: false,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  logLevel: 'warning',
});
const parts = {
  chartScript: uplot('uPlot.iife.min.js'),
  chartStyle: uplot('uPlot.min.css'),
  script: outputFiles[0].text,
};
writeFileSync(pathOf('dist/src/coverage/page/page-parts.json'), JSON.stringify(parts));
