import assert from 'node:assert/strict';
import { link, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import { NAME, onDisk, run as runDownload, setUp } from '../../download/runs.js';
import { envOf } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { createTestRecord } from '../manifest/records.js';
import { manifestFolder, paths } from './manifest-folder.js';

/** Links all files of a folder into another one, like `cp -al`. */
async function linkAll(from: string, to: string): Promise<void> {
  for (const path of await listFiles(from)) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await link(join(from, path), join(to, path));
  }
}

async function listFiles(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1)).sort();
}

/** Contents of all files of a folder. */
async function readAll(dir: string): Promise<ReadonlyMap<string, string>> {
  const paths = await listFiles(dir);
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(dir, path), 'latin1')] as const)),
  );
}

test('a snapshot of hard links does not change, whatever later runs do in the folder', async (t) => {
  const base = await tempDir(t);
  const [dir, snapshot] = [join(base, 'data'), join(base, 'snapshot')];
  const service = await sandbox(t, { rows: 50 });
  const env = { ...envOf(service, dir), XDG_CACHE_HOME: join(base, 'cache') };
  const run = async (...words: readonly string[]): Promise<void> => {
    const { exitCode, stderr } = await runHere(words, { env });
    assert.equal(exitCode, 0, `${words[0]}: ${stderr}`);
  };
  const runAll = async (...days: readonly string[]): Promise<void> => {
    const select = ['deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', ...days];
    await run('download', ...select, '--convert', 'ndjson');
    await run('convert', dir, '-f', 'ndjson', '--compression', 'gzip');
    await run('audit');
    await run('export', 'freqtrade', dir, '-o', dir, '--pair', 'BTC/USD:BTC', '--existing', 'overwrite');
  };
  await runAll('--date', '2024-03-01');
  await linkAll(dir, snapshot);
  const before = await readAll(snapshot);
  assert.ok(before.has('.tickhaul/manifest.jsonl') && before.has('.tickhaul/conversions.jsonl'));
  await runAll('--from', '2024-03-01', '--to', '2024-03-04');
  await run('verify', '--repair');
  assert.deepEqual(await readAll(snapshot), before);
  assert.equal(
    (await readFile(join(dir, '.tickhaul/conversions.jsonl'), 'utf8')).trim().split('\n').length,
    3,
  );
});

test('a snapshot that is made while a manifest is open does not change either', async (t) => {
  const { dir, path, open } = await manifestFolder(t);
  const manifest = await open();
  await manifest.append(createTestRecord('a'));
  for (const name of ['b', 'c']) {
    const snapshot = join(dir, `before ${name}`);
    await link(path, snapshot);
    const before = await readFile(snapshot, 'utf8');
    await manifest.append(createTestRecord(name));
    await manifest.append(createTestRecord(`${name}2`));
    assert.equal(await readFile(snapshot, 'utf8'), before);
  }
  await manifest.close();
  assert.deepEqual(paths(await open()), ['a', 'b', 'b2', 'c', 'c2']);
});

test('no record is lost if snapshots are made while several processes append', async (t) => {
  const { dir, path, open, startChild } = await manifestFolder(t);
  const manifest = await open();
  await manifest.append(createTestRecord('a'));
  let running = 2;
  for (const prefix of ['b', 'c']) startChild(prefix, 50).on('close', () => running--);
  const own: string[] = [];
  do {
    await link(path, join(dir, `snapshot ${own.length}`));
    own.push(`own${own.length}`);
    await manifest.append(createTestRecord(own.at(-1) ?? ''));
  } while (running > 0);
  await manifest.close();
  const found = new Set(paths(await open()));
  assert.deepEqual(
    ['a', ...own].filter((name) => !found.has(name)),
    [],
  );
  assert.equal([...found].filter((name) => /^[bc]/.test(name)).length, 100);
});

test('a replacement that a killed process left unfinished delays a record, and does not lose it', async (t) => {
  const { dir, path, open } = await manifestFolder(t);
  const manifest = await open();
  await manifest.append(createTestRecord('a'));
  await link(path, join(dir, 'snapshot'));
  await writeFile(`${path}.compact`, 'half');
  await manifest.append(createTestRecord('b'));
  await manifest.close();
  assert.deepEqual(paths(await open()), ['a', 'b']);
});

test('a part file in a snapshot is not written to when the transfer is resumed', async (t) => {
  const { service, dir } = await setUp(t, { redirect: true, rows: 30_000, rate: 400_000 });
  const abort = new AbortController();
  await runDownload(service, dir, {
    signal: abort.signal,
    onEvent: (event) => {
      if (event.event === 'progress' && event.position > 50_000)
        abort.abort(new TickhaulError('interrupted', 'test'));
    },
  });
  const snapshot = await tempDir(t);
  await linkAll(dir, snapshot);
  const before = await readAll(snapshot);
  assert.ok(before.has(`${NAME}.part`));
  assert.equal((await runDownload(service, dir)).summary.exitCode, 0);
  assert.deepEqual(await onDisk(dir), { whole: [NAME], parts: [] });
  assert.ok(
    service.requests.some(({ range }) => range !== undefined),
    'resumed',
  );
  assert.deepEqual(await readAll(snapshot), before);
});
