// Creates lib/, the published files, from dist/: the command, the library and the threads as ES modules in shared chunks,
// the files that are read by path beside them, the types of the library, and the licences of bundled packages.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { fewChunks } from './bundle/few-chunks.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('lib', { recursive: true, force: true });

const here = (name) => fileURLToPath(new URL(`bundle/${name}`, import.meta.url));

/** Replaces some packages by smaller modules of this project, to reduce the start time. */
const replaced = {
  name: 'replaced',
  setup({ onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: here('undici.js') }));
    onResolve({ filter: /^\.\/client-h2\.js$/ }, () => ({ path: here('http2.cjs') }));
    // Only yargs imports them in this way.
    onResolve({ filter: /^assert$/ }, ({ kind }) =>
      kind === 'import-statement' ? { path: here('assert.js') } : undefined,
    );
    onResolve({ filter: /^escalade\/sync$/ }, () => ({ path: here('find-up.js') }));
    onResolve({ filter: /^string-width$/ }, () => ({ path: here('string-width.js') }));
  },
};

/** Package folder of a bundled file. */
const PACKAGE_FOLDER = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const NOTICES_HEAD = 'The files beside this one hold code of these packages, under these licences.';
const NOTICES_TAIL = [
  'Not among these files, but used by them where it is installed, unmodified:',
  'tardis-dev 13.35.3 (MPL-2.0), whose source is at https://github.com/tardis-dev/tardis-node',
].join('\n\n');

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

/**
 * The files that modules refer to by `new URL('./<name>', import.meta.url)`: threads, which are bundled as separate
 * entries, and data files (wasm, parts of pages), which are copied. All of them are written to one folder.
 * @throws if two have the same name, or one is in another folder than the module that refers to it.
 */
function namedFiles(root) {
  const named = /(new WorkerThread\(\s*)?new URL\(\s*'(\.{1,2}\/[^']+)',\s*import\.meta\.url\s*\)/g;
  const threads = new Set();
  const others = new Set();
  for (const name of readdirSync(root, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const module = join(root, name);
    for (const [, thread, path] of readFileSync(module, 'utf8').matchAll(named)) {
      if (dirname(path) !== '.')
        throw new Error(`${module} names ${path}, which would not be beside the bundle`);
      (thread === undefined ? others : threads).add(join(dirname(module), path));
    }
  }
  const names = [...threads, ...others].map((path) => basename(path));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new Error(`two files are called ${twice}: rename one, both go into one folder`);
  return { threads: [...threads], others: [...others] };
}

/**
 * Copies the declarations that an entry's declarations import.
 * @throws if one imports a package, since users do not have the bundled packages.
 */
function copyDeclarations(entry, root, target) {
  const imported = /(?:from |import\()(['"])([^'"]+)\1/g;
  const seen = new Set();
  const copy = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    cpSync(file, join(target, relative(root, file)));
    for (const [, , from] of readFileSync(file, 'utf8').matchAll(imported)) {
      if (from.startsWith('.')) copy(resolve(dirname(file), from.replace(/\.js$/, '.d.ts')));
      else if (!from.startsWith('node:'))
        throw new Error(`${file} shows a type of ${from} to users of the library`);
    }
  };
  copy(resolve(entry));
}

/**
 * The licences of the packages that some files belong to, from the licence files of the packages.
 * @throws if a package has none.
 */
function notices(files) {
  const folders = new Set(files.flatMap((file) => PACKAGE_FOLDER.exec(file)?.[1] ?? []));
  return [NOTICES_HEAD, ...[...folders].sort().map(notice), `${NOTICES_TAIL}\n`].join(
    `\n\n${'-'.repeat(80)}\n\n`,
  );
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e([.-]|$)/i.test(entry));
  if (file === undefined) throw new Error(`${folder} has no text of its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
