import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { openFolderDestination } from '../../../src/store/folder/folder-destination.js';
import { openFolderManifest } from '../../../src/store/folder/folder-manifest.js';
import { type MergeSummary, mergeManifests } from '../../../src/store/manifest/merge-manifests.js';
import type { ConversionEntry, ManifestRecord } from '../../../src/store/manifest-record.js';
import { failedWith, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { rounds } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import { createTestRecord } from './records.js';

const { signal } = new AbortController();
const warn = (message: string): void => assert.fail(message);

async function write(dir: string, records: readonly ManifestRecord[]): Promise<void> {
  const manifest = await openFolderManifest(dir, { warn });
  for (const record of records) await manifest.append(record);
  await manifest.close();
}

async function read(dir: string): Promise<readonly ManifestRecord[]> {
  const manifest = await openFolderManifest(dir, { warn });
  const records = [...manifest.records()];
  await manifest.close();
  return records.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function merge(folders: readonly string[], target: string): Promise<MergeSummary> {
  return mergeManifests({
    folders: folders.map((dir) => openFolderDestination(dir)),
    target: openFolderDestination(target),
    warn,
    signal,
  });
}

const entryOf = (path: string, sha256 = 'c0'): ConversionEntry => ({
  path,
  bytes: 5,
  sha256,
  rows: 1,
  options: { format: 'parquet' },
});

const timeOf = (minute: number): string => new Date(minute * 60_000).toISOString();

test('the newest record of a path counts, with the conversions of all folders; a second merge changes nothing', async (t) => {
  const [a, b, target] = [await tempDir(t), await tempDir(t), await tempDir(t)];
  const record = (path: string, minute: number, more: Partial<ManifestRecord> = {}): ManifestRecord => ({
    ...createTestRecord(path, 1),
    time: timeOf(minute),
    ...more,
  });
  await write(a, [
    record('x.csv.gz', 3, { version: '9', dropped: true, conversions: [entryOf('x.parquet')] }),
  ]);
  await write(b, [record('x.csv.gz', 1, { conversions: [entryOf('x.ndjson')] }), record('y.csv.gz', 1)]);
  await write(target, [record('x.csv.gz', 2), record('z.csv.gz', 1)]);
  const merged = await merge([a, b], target);
  assert.deepEqual(merged, { records: 3, added: 1, changed: 1 });
  const [x, y, z] = await read(target);
  assert.deepEqual([x?.version, x?.time, x?.dropped], ['9', timeOf(3), undefined]);
  assert.deepEqual(x?.conversions?.map(({ path }) => path).sort(), ['x.ndjson', 'x.parquet']);
  assert.deepEqual([y, z], [record('y.csv.gz', 1), record('z.csv.gz', 1)]);
  const text = await readFile(join(target, '.tickhaul', 'manifest.jsonl'), 'utf8');
  assert.deepEqual(await merge([b, a, target], target), {
    records: 3,
    added: 0,
    changed: 0,
  });
  assert.equal(await readFile(join(target, '.tickhaul', 'manifest.jsonl'), 'utf8'), text);
});

test('a merge of any distribution of records over folders equals a single folder', async (t) => {
  const place = await tempDir(t);
  let round = 0;
  const spread = fc.array(
    fc.record({ name: fc.integer({ min: 0, max: 20 }), minute: fc.nat(5), folder: fc.nat(3) }),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(spread, async (all) => {
      const folders = [0, 1, 2, 3].map((index) => join(place, `${round}`, String(index)));
      round++;
      const [target = '', ...sources] = folders;
      const records = all.map(({ name, minute, folder }) => ({
        dir: folders[folder] ?? '',
        record: { ...createTestRecord(`${name}.csv.gz`, name), time: timeOf(minute), version: `${minute}` },
      }));
      for (const dir of sources) await write(dir, []);
      // In a folder, the last record of a path is the newest.
      for (const { dir, record } of records.toSorted((a, b) => (a.record.time < b.record.time ? -1 : 1)))
        await write(dir, [record]);
      const used = sources.filter((dir) => records.some((one) => one.dir === dir));
      await merge(used, target);
      const newest = new Map<string, ManifestRecord>();
      for (const { record } of records)
        if (record.time >= (newest.get(record.path)?.time ?? '')) newest.set(record.path, record);
      assert.deepEqual(
        await read(target),
        [...newest.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
      );
    }),
    { numRuns: rounds(40) },
  );
});

test('two contents of one path end with code 6, and nothing is written', async (t) => {
  const [a, b, target] = [await tempDir(t), await tempDir(t), await tempDir(t)];
  const other = { ...createTestRecord('x.csv.gz', 1), sha256: 'ff' };
  await write(a, [createTestRecord('x.csv.gz', 1), createTestRecord('y.csv.gz', 1)]);
  await write(b, [other]);
  const mergeHere = (...words: readonly string[]) => runHere(['manifest', 'merge', ...words]);
  await failedWith(
    mergeHere(a, b, '--dir', target),
    6,
    /x\.csv\.gz: has different contents in .* than in the folders before it; nothing was merged/,
  );
  assert.deepEqual(await read(target), []);

  await write(b, [{ ...createTestRecord('x.csv.gz', 1), conversions: [entryOf('x.parquet')] }]);
  await write(target, [{ ...createTestRecord('x.csv.gz', 1), conversions: [entryOf('x.parquet', 'dd')] }]);
  assert.equal((await mergeHere(b, '--dir', target)).exitCode, 6);

  const merged = await mergeHere(a, '--dir', target, '--json');
  assert.deepEqual(JSON.parse(merged.stdout), {
    path: target,
    records: 2,
    added: 1,
    changed: 0,
    audits: 0,
    exports: 0,
  });
});

test('a folder without a manifest is a usage error, and a damaged line is skipped with a warning', async (t) => {
  const [a, target] = [await tempDir(t), await tempDir(t)];
  const merge = () => runHere(['manifest', 'merge', a, '--dir', target]);
  const none = await merge();
  assert.deepEqual([none.exitCode, none.stderr.includes('has no manifest')], [2, true]);
  await write(a, [createTestRecord('x.csv.gz', 1)]);
  const path = join(a, '.tickhaul', 'manifest.jsonl');
  const damaged = `rubbish\n${await readFile(path, 'utf8')}`;
  await mkdir(join(a, '.tickhaul'), { recursive: true });
  await writeFile(path, damaged);
  const { stderr } = await succeeded(merge());
  assert.match(stderr, /skipped 1 damaged line/);
  assert.equal((await read(target)).length, 1);
  assert.equal(await readFile(path, 'utf8'), damaged);
});

test('no folder is a usage error; a folder that is named twice, or is the target, counts once', async (t) => {
  const [a, target] = [await tempDir(t), await tempDir(t)];
  await write(a, [createTestRecord('x.csv.gz', 1)]);
  const none = await runHere(['manifest', 'merge', '--dir', target]);
  assert.deepEqual([none.exitCode, none.stdout], [2, '']);
  const refused = await runHere(['manifest', 'merge', a, target, '--dir', target]);
  assert.deepEqual([refused.exitCode, refused.stderr.includes(`${target}: has no manifest`)], [2, true]);
  for (const [folders, added] of [
    [[a, a], 1],
    [[a, target, a], 0],
  ] as const) {
    const { stdout } = await runHere(['manifest', 'merge', ...folders, '--dir', target, '--json']);
    assert.deepEqual(JSON.parse(stdout), {
      path: target,
      records: 1,
      added,
      changed: 0,
      audits: 0,
      exports: 0,
    });
  }
});
