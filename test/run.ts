/**
 * Runs the built test files (all, or those whose path contains one of the arguments) and ends with the line
 * `N passed, N failed, N skipped`. If TEST_TIMES is set, it lists the slowest files before that line.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { SHARED_GATEWAY, startGateway } from './helpers/s3/gateway.js';
import { missingService } from './helpers/services.js';

const root = import.meta.dirname;
const sourceRoot = join(root, '../../test');
const pathParts = process.argv.slice(2);
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js'))
  // The build leaves the output of files that were renamed or removed.
  .filter((name) => existsSync(join(sourceRoot, name.replace(/\.js$/, '.ts'))))
  .filter((name) => pathParts.length === 0 || pathParts.some((part) => name.includes(part)))
  .map((name) => join(root, name))
  .sort();

/** Suits two processors: a file spends about half of its time waiting. */
const CONCURRENT_FILES = 4;
const LISTED_FILES = 40;

/** One gateway serves all files: starting one for each file costs seconds of CPU every time. */
const gateway =
  pathParts.length === 0 && missingService('store') === false ? await startGateway() : undefined;
if (gateway) process.env[SHARED_GATEWAY] = JSON.stringify(gateway);

const counts = { passed: 0, failed: 0, skipped: 0 };
const secondsByFile = new Map<string, number>();

const stream = run({ files, concurrency: CONCURRENT_FILES, timeout: 300_000 });
stream.on('test:pass', (data) => {
  if (data.details.type === 'suite') return;
  if (data.skip !== undefined) counts.skipped++;
  else counts.passed++;
  if (data.nesting === 0 && data.file !== undefined) {
    const seconds = (secondsByFile.get(data.file) ?? 0) + data.details.duration_ms / 1000;
    secondsByFile.set(data.file, seconds);
  }
});
stream.on('test:fail', (data) => {
  if (data.details.type !== 'suite') counts.failed++;
  process.exitCode = 1;
});
// The reporter's own summary counts files as tests: only the last line below counts tests alone.
const reporter = stream.compose(new spec());
reporter.on('data', (text: Buffer | string) => process.stdout.write(String(text)));
reporter.on('end', async () => {
  await gateway?.stop();
  if (process.env['TEST_TIMES']) printSlowestFiles();
  if (counts.passed + counts.failed === 0) {
    process.stdout.write(`no test matches ${pathParts.join(' ')} under ${relative(process.cwd(), root)}\n`);
    process.exitCode = 1;
  }
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
});

function printSlowestFiles(): void {
  const slowest = [...secondsByFile].sort(([, a], [, b]) => b - a).slice(0, LISTED_FILES);
  for (const [file, seconds] of slowest) {
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${relative(root, file)}\n`);
  }
}
