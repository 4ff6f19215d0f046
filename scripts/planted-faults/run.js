// Plants each fault in a copy of the project, and runs tests until one finds it: first the nearest, as
// `npm test -- --changed` selects them, then all that import the file, directly or not.
//   node scripts/planted-faults/run.js           all faults
//   node scripts/planted-faults/run.js 3 7       these, by number
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listTests, reachableFrom, testsOfChange } from '../test-selection.js';
import { FAULTS } from './faults.js';

process.chdir(join(import.meta.dirname, '../..'));

/** No test imports the source of a kernel: its nearest tests are those of the module that it belongs to. */
const ASSEMBLY = /\/assembly\/.*$/;
const chosen = process.argv.slice(2).map(Number);
const copy = mkdtempSync(join(tmpdir(), 'tickhaul-faults-'));
let missed = 0;
try {
  for (const name of ['bin', 'src', 'test', 'scripts', 'docs', 'package.json', 'tsconfig.json', 'README.md'])
    cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  for (const [index, fault] of FAULTS.entries()) {
    if (chosen.length > 0 && !chosen.includes(index + 1)) continue;
    const found = findFault(fault);
    if (found === undefined) missed++;
    process.stdout.write(`${index + 1}. ${fault.name}: ${found ?? 'NOT FOUND'}\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.stdout.write(`${missed} not found\n`);
process.exit(missed === 0 ? 0 : 1);

/** @returns the first test that fails, or undefined. */
function findFault({ file, from, to }) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
  try {
    const near = selectNear(file);
    const others = listTests().filter((test) => !near.includes(test) && reaches(test, file));
    return runTests(near, 'near') ?? runTests(others, 'all');
  } finally {
    writeFileSync(path, source);
  }
}

function selectNear(file) {
  if (!ASSEMBLY.test(file)) return testsOfChange([file]);
  const [, module] = file.split('/');
  return listTests().filter((test) => test.startsWith(`test/${module}/`));
}

function reaches(test, file) {
  const reached = [...reachableFrom([test])];
  const folder = `${file.replace(ASSEMBLY, '')}/`;
  return reached.includes(file) || (ASSEMBLY.test(file) && reached.some((path) => path.startsWith(folder)));
}

function runTests(tests, tier) {
  if (tests.length === 0) return undefined;
  const { status, stdout } = spawnSync(process.execPath, ['scripts/test.js', ...tests], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const failed = /✖ (?!failing tests)(.*?) \([\d.]+ms\)/.exec(stdout)?.[1];
  return status === 0 ? undefined : `${tier}: ${failed ?? 'does not build'}`;
}
