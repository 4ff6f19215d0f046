// Creates lib/, the published files, from dist/: the command, the library and the threads as ES modules in shared chunks,
// the files that are read by path beside them, the types of the library, and the licences of bundled packages.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { copyDeclarations } from './bundle/declarations.js';
import { fewChunks } from './bundle/few-chunks.js';
import { namedFiles } from './bundle/files.js';
import { notices } from './bundle/notices.js';
import { replaced } from './bundle/plugins.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('lib', { recursive: true, force: true });

/** Imports of the file that the shell starts. */
const STARTED = ['dist/src/cli/main.js', 'dist/src/cli/completion/complete.js'];
const { threads, others } = namedFiles('dist/src');
const entries = [...STARTED, 'dist/src/index.js', ...threads];
const { metafile, outputFiles } = await build({
  entryPoints: entries.map((path) => ({
    in: `./${path}`,
    out: basename(path, '.js'),
  })),
  outdir: 'lib',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Keep names and short lines: a stack trace without a source map should still be useful.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  charset: 'utf8',
  legalComments: 'none',
  plugins: [replaced, fewChunks('dist/src', entries)],
  external: [
    '@aws-sdk/client-s3',
    '@bokuweb/zstd-wasm',
    'bullmq',
    'csv-parse',
    'ioredis',
    'open',
    'tardis-dev',
  ],
  write: false,
  metafile: true,
  logLevel: 'warning',
});
mkdirSync('lib');
for (const { path, text } of outputFiles) writeFileSync(path, withRequire(text));
for (const file of others) copyFileSync(file, join('lib', basename(file)));
copyDeclarations('dist/src/index.d.ts', 'dist/src', 'lib/types');
const bundled = [...Object.keys(metafile.inputs), 'node_modules/uplot/package.json'];
writeFileSync('lib/THIRD-PARTY-NOTICES.txt', notices(bundled));
// Copied unchanged, since the bundler would import chunks before its first line.
const start = STARTED.reduce(
  (text, path) => text.replace(`'${path.replace('dist', '..')}'`, `'./${basename(path)}'`),
  readFileSync('dist/bin/tickhaul.js', 'utf8'),
);
writeFileSync('lib/tickhaul.js', start, { mode: 0o755 });
copyFileSync('dist/bin/tickhaul.cjs', 'lib/tickhaul.cjs');
chmodSync('lib/tickhaul.cjs', 0o755);

/** For bundled CommonJS packages: their chunks load Node's modules with `require`. */
function withRequire(text) {
  return /\brequire\b/.test(text)
    ? `import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);\n${text}`
    : text;
}
