import assert from 'node:assert/strict';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { jsonLines, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { namesIn } from '../../helpers/temp.js';

/** The environment of a folder with two days of trades; the first has a gap. */
async function createFolder(t: TestContext): Promise<{ dir: string; env: Record<string, string> }> {
  const { dir, env } = await sandboxAndFolder(t, { rows: 2000, faults: { gap: 1 } });
  const words = ['download', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', '--last', '2d'];
  await succeeded(runHere(words, { env }));
  return { dir, env };
}

test('--html - prints only the page to stdout, and the summary to stderr', async (t) => {
  const { env } = await createFolder(t);
  const { stdout, stderr } = await succeeded(tickhaul(['audit', '--html', '-'], { env }));
  assert.match(stdout, /^<!doctype html>.*<\/html>\n$/s);
  assert.match(stderr, /2 degraded/);
  const refused = await tickhaul(['audit', '--html', '-', '--json'], { env });
  assert.equal(refused.exitCode, 2, refused.stderr);
  assert.match(refused.stderr, /--html - and --json both print to stdout; use only one of them/);
});

test('another file is not replaced, and nothing is read for it; an earlier page is', async (t) => {
  const { dir, env } = await createFolder(t);
  const path = join(dir, 'notes.html');
  await writeFile(path, 'my notes');
  const refused = await runHere(['audit', '--html', path, '--json'], { env });
  assert.equal(refused.exitCode, 2);
  assert.deepEqual(
    jsonLines(refused).map(({ event }) => event),
    ['summary'],
  );
  assert.match(refused.stderr, /notes\.html: the file exists and is not a report of tickhaul/);
  assert.equal(await readFile(path, 'utf8'), 'my notes');
  await writeFile(path, '');
  for (const _ of [1, 2]) assert.equal((await runHere(['audit', '--html', path], { env })).exitCode, 0);
  assert.match(await readFile(path, 'utf8'), /<h1>Audit of /);
});

test('a page is also written if --fail-on or a corrupt file fails the run', async (t) => {
  const { dir, env } = await createFolder(t);
  const path = join(dir, 'audit.html');
  const failed = await runHere(['audit', '--html', path, '--fail-on', 'gap'], { env });
  assert.equal(failed.exitCode, 10);
  assert.match(await readFile(path, 'utf8'), /<dt>days degraded<\/dt><dd>2<\/dd>/);
  const name = (await namesIn(dir)).find((each) => each.endsWith('.csv.gz')) ?? '';
  await truncate(join(dir, name), 100);
  const corrupt = await runHere(['audit', '--html', path], { env });
  assert.equal(corrupt.exitCode, 6);
  const html = await readFile(path, 'utf8');
  assert.match(html, /<dt>days corrupt<\/dt><dd>1<\/dd>/);
  assert.equal(html.includes(dir), false, 'the path of the folder');
});

test('JSON has no fields that only the page needs', async (t) => {
  const { dir, env } = await createFolder(t);
  const path = join(dir, 'audit.html');
  const run = await succeeded(runHere(['audit', '--html', path, '--json'], { env }));
  const [, day] = jsonLines(run);
  const { checks } = day as unknown as { readonly checks: { readonly gap: object } };
  assert.deepEqual(Object.keys(checks.gap).sort(), ['count', 'first', 'longest', 'seconds']);
  assert.match(await readFile(path, 'utf8'), /"gaps":\[\{"start":\d+,"end":\d+\}\]/);
});
