// Puts what the coverage page consists of beside the module that reads it: its own script, and the charting library.
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const folder = fileURLToPath(new URL('../dist/src/coverage/page/', import.meta.url));
const { resolve } = createRequire(import.meta.url);

buildSync({
  entryPoints: [`${folder}browser/main.js`],
  outfile: `${folder}coverage-page.js`,
  bundle: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  logLevel: 'warning',
});
for (const file of ['uPlot.iife.min.js', 'uPlot.min.css']) {
  copyFileSync(resolve(`uplot/dist/${file}`), folder + file);
}
