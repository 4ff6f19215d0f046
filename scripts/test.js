// Builds what the selected tests need, and runs them.
//   npm test                                  all tests
//   npm test -- test/dataset/day.test.ts      these files, or all whose path contains the argument
//   npm run test:unit                         tests that start no process, thread, server or browser
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

process.chdir(join(import.meta.dirname, '..'));

/** Build steps in their order, with what a source file contains that needs the step's output. */
const BUILD_STEPS = [
  { script: 'scripts/build-kernel.js', usedBy: /\.wasm'/ },
  { script: 'scripts/build-pages.js', usedBy: /(?:chart\.json|-page\.txt)'/ },
  { script: 'scripts/bundle.js', usedBy: /'(?:\.\.\/)*lib[/']/ },
];
/** Imports of test code that start a process, a server, a browser or another database. */
const NOT_UNIT =
  /from '(?:node:(?:child_process|http|https|net|worker_threads)|playwright-core|ws|@duckdb[^']*)'|start-sandbox\.js'/;
/** Imports of a module that starts threads. */
const STARTS_THREADS = /from '[^']*(?:\/threads\/|worker-thread\.js|thread-pool\.js)/;
/** The TypeScript files that a source file imports or starts as a thread. */
const IMPORT = /(?:from|import\(|import|new URL\()\s*'(\.[^']+)\.js'/g;

const args = process.argv.slice(2);
const isUnitRun = args[0] === '--unit';
const allTests = readdirSync('test', { recursive: true })
  .map((name) => posix.join('test', ...name.split(/[\\/]/)))
  .filter((path) => path.endsWith('.test.ts'));
const selected = isUnitRun ? allTests.filter(isUnitTest) : selectTests(args);

run(process.execPath, ['node_modules/typescript/bin/tsc']);
const needed = args.length === 0 ? undefined : [...reachableFrom(selected)].map(readSource);
for (const { script, usedBy } of BUILD_STEPS) {
  if (needed === undefined || needed.some((source) => usedBy.test(source))) run(process.execPath, [script]);
}
const names =
  args.length === 0 ? [] : selected.map((path) => path.slice('test/'.length).replace(/\.ts$/, '.js'));
run(process.execPath, ['dist/test/run.js', ...names]);

function selectTests(parts) {
  const found = allTests.filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)));
  if (found.length > 0) return found;
  process.stderr.write(
    `no test matches ${parts.join(' ')}; give the path of a file under test/, or a part of one\n`,
  );
  process.exit(1);
}

function isUnitTest(path) {
  const testCode = [...reachableFrom([path])].filter((file) => file.startsWith('test/'));
  const tested = importsOf(path).filter((file) => existsSync(file));
  return (
    !testCode.some(
      (file) => NOT_UNIT.test(readSource(file)) || BUILD_STEPS[2].usedBy.test(readSource(file)),
    ) && ![path, ...tested].some((file) => STARTS_THREADS.test(readSource(file)))
  );
}

/** The given source files with all that they import, directly or through others. */
function reachableFrom(paths) {
  const reached = new Set();
  const pending = [...paths];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (reached.has(path) || !existsSync(path)) continue;
    reached.add(path);
    pending.push(...importsOf(path));
  }
  return reached;
}

function importsOf(path) {
  const names = [...readSource(path).matchAll(IMPORT)].map(([, name]) => name);
  return names.map((name) => `${posix.join(posix.dirname(path), name)}.ts`);
}

function readSource(path) {
  return readFileSync(path, 'utf8');
}

function run(command, commandArgs) {
  const { status, signal } = spawnSync(command, commandArgs, { stdio: 'inherit' });
  if (status !== 0) process.exit(signal ? 1 : status);
}
