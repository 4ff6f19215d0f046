// Which test files belong to a change, need a service, or can share a process: read off their imports.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, posix } from 'node:path';

/** Imports of test code that start a process, a server, a browser or another database. */
const NOT_UNIT =
  /from '(?:node:(?:child_process|http|https|net|worker_threads)|playwright-core|ws|@duckdb[^']*)'|start-sandbox\.js'/;
/** Imports of a module that starts threads. */
const STARTS_THREADS = /from '[^']*(?:\/threads\/|worker-thread\.js|thread-pool\.js)/;
/** The built command and pages. */
const USES_BUNDLE = /'(?:\.\.\/)*lib[/']/;
/** Test code that measures the process in which it runs, or changes it for good. */
const NEEDS_OWN_PROCESS =
  /started-threads\.js'|process\.(?:memoryUsage\(|resourceUsage|_get|once|on\(|emit|umask\b)|globalThis|from 'node:v8'|mock\b/;
/** Test code that sets variables of the environment that it needs, and leaves them set. */
const SETS_ENVIRONMENT = /envHere\(|Object\.assign\(process\.env, /;
/**
 * Groups of test files that share a process, in the order of their paths, since those of a folder load the same modules.
 * Some for each processor, so that all end at about the same time.
 */
const GROUPS = 24;
/** Groups of files that set the environment: they share processes with each other only. */
const ENVIRONMENT_GROUPS = 3;
/** The TypeScript files that a source file imports or starts as a thread. */
const IMPORT = /(?:from|import\(|import|new URL\()\s*'(\.[^']+)\.js'/g;
const SERVICES = 'test/helpers/services.ts';
const GROUP_FOLDER = 'dist/test/groups';

const sources = new Map();

/** All test files, sorted. */
export function listTests() {
  return readdirSync('test', { recursive: true })
    .map((name) => posix.join('test', ...name.split(/[\\/]/)))
    .filter((path) => path.endsWith('.test.ts'))
    .sort();
}

/** Whether a test file starts no process, thread, server or browser. */
export function isUnitTest(path) {
  const testCode = testCodeOf(path);
  const tested = importsOf(path).filter((file) => existsSync(file));
  return (
    !testCode.some((file) => NOT_UNIT.test(readSource(file)) || USES_BUNDLE.test(readSource(file))) &&
    ![path, ...tested].some((file) => STARTS_THREADS.test(readSource(file)))
  );
}

/** Whether a file has tests that need a service. */
export function needsService(path) {
  return testCodeOf(path).includes(SERVICES);
}

/**
 * The nearest tests of changed files: changed tests, those of the same folder, those that import a changed file
 * directly, and the main tests of a command whose name is a word of the changed path.
 */
export function testsOfChange(changed) {
  const tests = listTests();
  const commands = readdirSync('src/cli/commands')
    .filter((name) => name.endsWith('.ts'))
    .map((name) => basename(name, '.ts'));
  const files = changed.filter((path) => /^(?:src|bin|test)\/.*\.ts$/.test(path));
  const isNear = (test) =>
    files.some((file) => {
      if (test === file || importsOf(test).includes(file)) return true;
      if (!file.startsWith('src/')) return false;
      if (posix.dirname(test) === nearestTestFolder(file, tests)) return true;
      const words = new Set(file.slice('src/'.length, -'.ts'.length).split(/[/-]/));
      return commands.some(
        (command) =>
          words.has(command) &&
          (test === `test/cli/${command}.test.ts` || test === `test/cli/${command}/${command}.test.ts`),
      );
    });
  return tests.filter(isNear);
}

/** The folder of tests with the same name as that of a module, or else the first one above it that has tests. */
function nearestTestFolder(file, tests) {
  let folder = posix.dirname(file).replace(/^src/, 'test');
  while (folder !== 'test' && !tests.some((test) => posix.dirname(test) === folder))
    folder = posix.dirname(folder);
  return folder === 'test' ? undefined : folder;
}

/**
 * Groups test files that can share a process, since starting one costs more than most files do.
 * @returns the built files to run; an entry of a group imports several.
 */
export function groupTests(tests) {
  rmSync(GROUP_FOLDER, { recursive: true, force: true });
  const built = (path) => path.slice('test/'.length).replace(/\.ts$/, '.js');
  if (tests.length <= GROUPS) return tests.map(built);
  mkdirSync(GROUP_FOLDER, { recursive: true });
  const has = (path, pattern) =>
    testCodeOf(path).some((file) => !isHelper(file) && pattern.test(readSource(file)));
  const own = tests.filter((path) => has(path, NEEDS_OWN_PROCESS));
  const shared = tests.filter((path) => !own.includes(path));
  const environment = shared.filter((path) => has(path, SETS_ENVIRONMENT));
  const others = shared.filter((path) => !environment.includes(path));
  const groups = [...split(others, GROUPS), ...split(environment, ENVIRONMENT_GROUPS)];
  const entries = groups.map((paths, group) => {
    const lines = paths.map((path) => `import '../${built(path)}';\n`);
    const name = `groups/${group}.test.js`;
    writeFileSync(posix.join('dist/test', name), lines.join(''));
    return name;
  });
  return [...entries, ...own.map(built)];
}

/** Splits a list into parts of about the same length. */
function split(list, parts) {
  const borders = Array.from({ length: parts + 1 }, (_, part) => Math.round((part * list.length) / parts));
  return borders.slice(1).map((end, part) => list.slice(borders[part], end));
}

/** The given source files with all that they import, directly or through others. */
export function reachableFrom(paths) {
  const reached = new Set();
  const pending = [...paths];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (reached.has(path) || !existsSync(path)) continue;
    reached.add(path);
    pending.push(...importsOf(path));
  }
  return reached;
}

export function readSource(path) {
  const known = sources.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  sources.set(path, text);
  return text;
}

/** Helpers of all tests: what one does to the process is known by the name of its function. */
function isHelper(file) {
  return file.startsWith('test/helpers/') && !file.endsWith('.test.ts');
}

function testCodeOf(path) {
  return [...reachableFrom([path])].filter((file) => file.startsWith('test/'));
}

function importsOf(path) {
  const names = [...readSource(path).matchAll(IMPORT)].map(([, name]) => name);
  return names.map((name) => `${posix.join(posix.dirname(path), name)}.ts`);
}
