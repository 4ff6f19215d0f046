// Writes the parts of browser pages beside the modules that read them: the scripts, each as one file, and the
// charting library.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const uplot = (file) => readFileSync(pathOf(`node_modules/uplot/dist/${file}`), 'utf8');

/** Bundled from the sources. A page that is opened from disk cannot load modules. */
function bundled(path) {
  const { outputFiles } = buildSync({
    entryPoints: [pathOf(path)],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

const chart = { script: uplot('uPlot.iife.min.js'), style: uplot('uPlot.min.css') };
writeFileSync(pathOf('dist/src/base/page/chart.json'), JSON.stringify(chart));
for (const [page, script] of [
  ['describe/coverage/page', 'coverage-page.txt'],
  ['server', 'server-page.txt'],
]) {
  writeFileSync(pathOf(`dist/src/${page}/${script}`), bundled(`src/${page}/browser/main.ts`));
}
