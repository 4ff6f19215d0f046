/**
 * Runs the test files (all, or those whose path contains one of the arguments) and closes with the line
 * `N passed, N failed, N skipped`.
 */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { NO_STORE, SHARED_GATEWAY, startGateway } from './helpers/s3/gateway.js';

const root = import.meta.dirname;
const wanted = process.argv.slice(2);
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .map((name) => join(root, name))
  .sort();

/** On two processors: about half of a file's time is waiting. */
const SIDE_BY_SIDE = 4;

/** Where all files run: to start one for each that needs it took seconds of CPU every time. */
const store = wanted.length === 0 && NO_STORE === false ? await startGateway() : undefined;
if (store) process.env[SHARED_GATEWAY] = JSON.stringify(store);

const counts = { passed: 0, failed: 0, skipped: 0 };
const isSuite = (data: { details: { type?: string | undefined } }): boolean => data.details.type === 'suite';

const stream = run({ files, concurrency: SIDE_BY_SIDE, timeout: 300_000 });
stream.on('test:pass', (data) => {
  if (isSuite(data)) return;
  if (data.skip !== undefined) counts.skipped++;
  else counts.passed++;
});
stream.on('test:fail', (data) => {
  if (!isSuite(data)) counts.failed++;
  process.exitCode = 1;
});
// Its own summary counts again, in another form: only the closing line below is kept.
const reporter = stream.compose(new spec());
reporter.on('data', (text: Buffer | string) => process.stdout.write(String(text)));
reporter.on('end', async () => {
  await store?.stop();
  if (counts.passed + counts.failed === 0) {
    process.stdout.write(`no test matches ${wanted.join(' ')} under ${relative(process.cwd(), root)}\n`);
    process.exitCode = 1;
  }
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
});
