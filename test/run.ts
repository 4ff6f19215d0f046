/**
 * Runs built test files (all, the named ones, or those whose path contains an argument). It ends with what was skipped
 * and the line `N passed, N failed, N skipped`. With `--bare` it acts like a machine without the services of
 * helpers/services.ts. If TEST_TIMES is set, it lists the slowest files before those lines.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { isAlive } from './helpers/is-alive.js';
import { SHARED_GATEWAY, startGateway } from './helpers/s3/gateway.js';
import { listServicePrograms, missingService } from './helpers/services.js';

const root = import.meta.dirname;
const sourceRoot = join(root, '../../test');
const isBare = process.argv[2] === '--bare';
const pathParts = process.argv.slice(isBare ? 3 : 2);
const files = selectFiles();

/** Suits two processors: a file spends about half of its time waiting. */
const CONCURRENT_FILES = 4;
const LISTED_FILES = 40;
const LISTED_REASONS = 4;
/** Files from which on one gateway is started for all: starting one for each costs seconds of CPU every time. */
const MIN_FILES_FOR_GATEWAY = 20;
/** The folder of programs, in the temporary folder. */
const BARE = 'programs';

const temporary = openTemporaryFolder();
if (isBare) hideServices();
const needsGateway = files.length >= MIN_FILES_FOR_GATEWAY && missingService('store') === false;
const gateway = needsGateway ? await startGateway() : undefined;
if (gateway) process.env[SHARED_GATEWAY] = JSON.stringify(gateway);

const counts = { passed: 0, failed: 0, skipped: 0 };
const skippedByReason = new Map<string, number>();
const secondsByFile = new Map<string, number>();

const stream = run({ files: [...files], concurrency: CONCURRENT_FILES, timeout: 900_000 });
stream.on('test:pass', (data) => {
  if (data.details.type === 'suite') return;
  if (data.skip !== undefined) countSkipped(String(data.skip));
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
  closeTemporaryFolder();
  if (process.env['TEST_TIMES']) printSlowestFiles();
  if (counts.passed + counts.failed === 0) {
    process.stdout.write(`no test matches ${pathParts.join(' ')} under ${relative(process.cwd(), root)}\n`);
    process.exitCode = 1;
  }
  if (counts.skipped > 0) process.stdout.write(`${describeSkipped()}\n`);
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
});

function selectFiles(): readonly string[] {
  if (pathParts.length > 0 && pathParts.every((name) => name.endsWith('.js') && existsSync(join(root, name))))
    return pathParts.map((name) => join(root, name));
  return (
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.js'))
      // The build leaves the output of files that were renamed or removed.
      .filter((name) => existsSync(join(sourceRoot, name.replace(/\.js$/, '.ts'))))
      .filter((name) => pathParts.length === 0 || pathParts.some((part) => name.includes(part)))
      .map((name) => join(root, name))
      .sort()
  );
}

/** A temporary folder for this run, so that what a killed test leaves goes with it, or with the next run. */
function openTemporaryFolder(): string {
  const system = tmpdir();
  const dir = join(system, `tickhaul-tests-${process.pid}`);
  for (const name of readdirSync(system)) {
    const pid = Number(/^tickhaul-tests-(\d+)$/.exec(name)?.[1]);
    if (pid !== process.pid && !(pid > 0 && !isAlive(pid))) continue;
    try {
      rmSync(join(system, name), { recursive: true });
    } catch {
      // It may be another user's.
    }
  }
  mkdirSync(dir);
  process.env['TMPDIR'] = dir;
  return dir;
}

/** Names what tests have left, and removes it. */
function closeTemporaryFolder(): void {
  const left = readdirSync(temporary).filter((name) => name !== BARE);
  try {
    rmSync(temporary, { recursive: true });
  } catch (error) {
    left.push(String(error));
  }
  if (left.length > 0) process.stdout.write(`left in the temporary folder: ${left.join(', ')}\n`);
}

/** Replaces PATH by a folder with links to all its programs but those of the services. */
function hideServices(): void {
  const dir = join(temporary, BARE);
  mkdirSync(dir);
  const names = new Set(listServicePrograms());
  for (const folder of process.env['PATH']?.split(delimiter) ?? []) {
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      if (names.has(name)) continue;
      // The first folder that has a program wins.
      names.add(name);
      symlinkSync(join(folder, name), join(dir, name));
    }
  }
  process.env['PATH'] = dir;
}

function countSkipped(reason: string): void {
  counts.skipped++;
  const what = /^needs (.*)$/.exec(reason)?.[1] ?? 'others';
  skippedByReason.set(what, (skippedByReason.get(what) ?? 0) + 1);
}

/** `127 skipped: 73 need radosgw (Ceph), 39 redis-server, 8 chromium, 7 others; see CONTRIBUTING.md` */
function describeSkipped(): string {
  const named = [...skippedByReason]
    .filter(([what]) => what !== 'others')
    .sort(([, a], [, b]) => b - a)
    .slice(0, LISTED_REASONS);
  const others = counts.skipped - named.reduce((sum, [, count]) => sum + count, 0);
  const parts = named.map(([what, count], index) => `${count} ${index === 0 ? 'need ' : ''}${what}`);
  if (others > 0) parts.push(`${others} others`);
  return `${counts.skipped} skipped: ${parts.join(', ')}; see CONTRIBUTING.md`;
}

function printSlowestFiles(): void {
  const slowest = [...secondsByFile].sort(([, a], [, b]) => b - a).slice(0, LISTED_FILES);
  for (const [file, seconds] of slowest) {
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s  ${relative(root, file)}\n`);
  }
}
