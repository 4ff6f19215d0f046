// Builds what the selected tests need, and runs them.
//   npm test                                  all tests
//   npm test -- test/day-files/day.test.ts      these files, or all whose path contains the argument
//   npm test -- --changed [commit]            the nearest tests of what has changed since a commit (default: HEAD)
//   npm test -- --services                    the files with tests that need a service, such as Redis
//   npm test -- --bare                        all tests, as on a machine without these services
//   npm run test:unit                         tests that start no process, thread, server or browser
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  groupTests,
  isUnitTest,
  listTests,
  needsService,
  reachableFrom,
  readSource,
  testsOfChange,
} from './test-selection.js';

process.chdir(join(import.meta.dirname, '..'));

/** Build steps in their order, with what a source file contains that needs the step's output; the bundle needs all. */
const BUILD_STEPS = [
  { script: 'scripts/build-kernel.js', usedBy: /\.wasm'|'(?:\.\.\/)*lib[/']/ },
  { script: 'scripts/build-pages.js', usedBy: /(?:chart\.json|-page\.txt)'|'(?:\.\.\/)*lib[/']/ },
  { script: 'scripts/bundle.js', usedBy: /'(?:\.\.\/)*lib[/']/ },
];

const args = process.argv.slice(2);
const isBare = args[0] === '--bare';
const selected = selectTests(isBare ? args.slice(1) : args);

run(process.execPath, ['node_modules/typescript/bin/tsc']);
const isWhole = selected.length === listTests().length;
const needed = isWhole ? undefined : [...reachableFrom(selected)].map(readSource);
for (const { script, usedBy } of BUILD_STEPS) {
  if (needed === undefined || needed.some((source) => usedBy.test(source))) run(process.execPath, [script]);
}
// The processes of the tests inherit the flag: on two processors, threads of the garbage collector cost more than they gain.
run(process.execPath, [
  '--single-threaded-gc',
  'dist/test/run.js',
  ...(isBare ? ['--bare'] : []),
  ...groupTests(selected),
]);

/** The selected test files. */
function selectTests([first, ...rest]) {
  const tests = listTests();
  if (first === undefined) return tests;
  if (first === '--unit') return tests.filter(isUnitTest);
  if (first === '--services') return tests.filter(needsService);
  if (first === '--changed') return selectChanged(rest[0]);
  const parts = [first, ...rest];
  const found = tests.filter((path) => parts.some((part) => path.includes(part)));
  if (found.length === 0)
    stop(`no test matches ${parts.join(' ')}; give the path of a file under test/, or a part of one`, 1);
  return found;
}

function selectChanged(commit = 'HEAD') {
  const changed = git('diff', '--name-only', commit);
  const added = git('ls-files', '--others', '--exclude-standard');
  const tests = testsOfChange([...changed, ...added]);
  if (tests.length > 0) {
    process.stdout.write(
      `tests of what has changed since ${commit}:\n${tests.map((path) => `  ${path}\n`).join('')}`,
    );
    return tests;
  }
  stop(
    `no test is near what has changed since ${commit}; name another commit: npm test -- --changed HEAD~1`,
    0,
  );
}

function git(...words) {
  const { status, stdout, stderr } = spawnSync('git', words, { encoding: 'utf8' });
  if (status !== 0) stop(stderr.trim(), 1);
  return stdout.split('\n').filter((line) => line !== '');
}

function stop(message, exitCode) {
  process.stderr.write(`${message}\n`);
  process.exit(exitCode);
}

function run(command, commandArgs) {
  const { status, signal } = spawnSync(command, commandArgs, { stdio: 'inherit' });
  if (status !== 0) process.exit(signal ? 1 : status);
}
