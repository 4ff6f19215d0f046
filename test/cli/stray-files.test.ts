import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findViewFiles } from '../../src/describe/views/find-view-files.js';
import { envOf, type Finished, jsonLines, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { memoryDestination } from '../helpers/memory-destination.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { verifyHere } from '../verify/helpers.js';

const { signal } = new AbortController();
const SELECTION = ['deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', '--date', '2024-03-01'];
const NAME = 'deribit_trades_2024-03-01_BTC-PERPETUAL';
const FILE = `${NAME}.csv.gz`;
const COPY = `${NAME} (1).csv.gz`;
const SYSTEM_FILE = Buffer.from('\0\x05\x16\x07\0\x02\0\0Mac OS X        \0\x02', 'latin1');

interface Folder {
  readonly dir: string;
  readonly other: string;
  run(...words: readonly string[]): Promise<Finished>;
  /** Runs a command that passes over files. @param count of them. */
  search(count: number, ...words: readonly string[]): Promise<Finished>;
}

/** A folder with one day file, a copy of it, and a system file beside each. */
async function folderWithStrays(t: TestContext): Promise<Folder> {
  const service = await sandbox(t, { rows: 300 });
  const other = await tempDir(t);
  const dir = join(other, 'data');
  const env = { ...envOf(service, dir), XDG_CACHE_HOME: join(other, 'cache') };
  const run = (...words: readonly string[]): Promise<Finished> => runHere(words, { env });
  await succeeded(run('download', ...SELECTION));
  await copyFile(join(dir, FILE), join(dir, COPY));
  await writeFile(join(dir, `._${FILE}`), SYSTEM_FILE);
  for (const name of ['.DS_Store', 'Thumbs.db']) await writeFile(join(dir, name), SYSTEM_FILE);
  return {
    dir,
    other,
    run,
    async search(count, ...words) {
      const finished = await succeeded(run(...words));
      const [warning = ''] = finished.stderr.match(/^.*passing over.*$/gm) ?? [];
      assert.match(warning, new RegExp(`passing over ${count} file.*such as .*${NAME}.*to read it, name`));
      return finished;
    },
  };
}

test('commands that search a folder read no copies and no system files, and count them once', async (t) => {
  const { dir, other, run, search } = await folderWithStrays(t);
  const out = join(other, 'out');
  const summaryOf = (finished: Finished) => jsonLines(finished).at(-1);
  assert.equal(summaryOf(await search(2, 'convert', dir, '-o', out, '--json'))?.['converted'], 1);
  assert.deepEqual(await readdir(out), [`${NAME}.parquet`]);
  const pattern = join(dir, '{.,}*.csv.gz');
  assert.equal(summaryOf(await search(2, 'convert', pattern, '-o', out, '--json'))?.['skipped'], 1);
  assert.equal((await search(2, 'convert', dir, '-o', '-')).stdout.trim().split('\n').length, 300);
  const days = jsonLines(await search(2, 'audit', '--offline', '--json')).filter(
    ({ event }) => event === 'day',
  );
  assert.deepEqual(
    days.map(({ symbol }) => symbol),
    ['BTC-PERPETUAL'],
  );
  const target = ['-o', join(other, 'ft'), '--pair', 'BTC/USD:BTC', '--timeframe', '1m'];
  const exported = summaryOf(await search(2, 'export', 'freqtrade', dir, ...target, '--json'));
  // The candles and the trades of one pair.
  assert.equal(exported?.['converted'], 2);

  await run('convert', join(dir, FILE), '-o', dir);
  await copyFile(join(dir, `${NAME}.parquet`), join(dir, `${NAME} copy.parquet`));
  await writeFile(join(dir, `._${NAME}.parquet`), SYSTEM_FILE);
  const views = await search(4, 'views');
  assert.match(views.stdout, /-- 1 file\n/);
  assert.ok(!/copy|\(1\)|\._/.test(views.stdout), views.stdout);

  assert.equal(summaryOf(await search(4, 'verify', '--adopt', '--json'))?.['verified'], 2);
  assert.ok(!(await readFile(join(dir, '.tickhaul', 'manifest.jsonl'), 'utf8')).includes('(1)'));
  const lock = join(other, 'lock');
  await run('lock', '-o', lock);
  assert.ok(!(await readFile(lock, 'utf8')).includes('(1)'));

  await rm(join(other, 'cache'), { recursive: true });
  const period = ['-t', 'trade', '--date', '2024-03-01', '--offline'];
  assert.equal((await search(2, 'replay', 'deribit', ...period)).stdout.trim().split('\n').length, 300);
});

test('a copy or a system file that is named itself is read, and is not adopted', async (t) => {
  const { dir, other, run } = await folderWithStrays(t);
  const converted = await succeeded(run('convert', join(dir, COPY), '-o', join(other, 'out')));
  assert.ok(!converted.stderr.includes('passing over'), converted.stderr);
  assert.equal((await run('audit', '--offline', join(dir, `._${FILE}`))).exitCode, 6);
  for (const name of [COPY, `._${FILE}`]) {
    const { exitCode, stdout } = await run('verify', '--adopt', join(dir, name), '--json');
    assert.equal(exitCode, 0);
    const finding = jsonLines({ exitCode, stdout, stderr: '' }).find(({ event }) => event === 'finding');
    assert.match(String(finding?.['message']), /its name is that of a copy or of a system file; remove or/);
  }
  assert.ok(!(await readFile(join(dir, '.tickhaul', 'manifest.jsonl'), 'utf8')).includes('(1)'));
});

test('a symbol whose name looks like that of a copy is found by its record', async (t) => {
  const { dir, run } = await folderWithStrays(t);
  const manifest = join(dir, '.tickhaul', 'manifest.jsonl');
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text + text.replaceAll('BTC-PERPETUAL', 'BTC-PERPETUAL (1)'));
  for (const words of [['verify'], ['convert', dir], ['audit', '--offline']]) {
    const { stdout, stderr } = await run(...words, '--json');
    assert.match(stdout, /"symbol":"BTC-PERPETUAL \(1\)"/);
    assert.match(stderr + stdout, /passing over 1 file/);
  }
});

test('a frozen download reports copies as extra files, and no system files', async (t) => {
  const { dir, other, run } = await folderWithStrays(t);
  const lock = join(other, 'lock');
  await run('lock', '-o', lock);
  const { stdout } = await run('download', '--frozen', lock, '--json');
  assert.deepEqual(
    jsonLines({ exitCode: 0, stdout, stderr: '' }).flatMap(({ event, path }) =>
      event === 'finding' ? [path] : [],
    ),
    [COPY],
  );
  assert.ok((await readdir(dir)).includes(`._${FILE}`));
});

test('a listing of an object store is searched in the same way', async (t) => {
  const { dir } = await folderWithStrays(t);
  const service = await sandbox(t, { rows: 300 });
  const destination = memoryDestination({ writesAtOnce: true });
  for (const name of [FILE, COPY, `._${FILE}`]) destination.put(`a/${name}`, await readFile(join(dir, name)));
  const { bad, warnings } = await verifyHere(service, destination, []);
  assert.deepEqual(bad, [`unknown a/${FILE}`]);
  assert.match(warnings, /passing over 2 files/);
  const messages: string[] = [];
  const warn = (message: string): void => void messages.push(message);
  const { files, paths } = await findViewFiles(destination, { under: '', warn, signal });
  assert.deepEqual([files.length, paths.length], [1, 3]);
  assert.match(messages.join(), /passing over 2 files/);
});
