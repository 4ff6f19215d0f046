import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { dataTypeColumns } from '../../../src/day-files/data-types.js';
import { tempDir } from '../../helpers/temp.js';
import { NAME, onDisk, run, setUp } from '../runs.js';

test('verifies and adopts a file of another client', async (t) => {
  const { service, dir } = await setUp(t);
  const header = dataTypeColumns('trades')?.map(({ name }) => name);
  const row = 'binance-futures,BTCUSDT,1709251200000000,1709251200000000,,buy,1,2';
  await writeFile(join(dir, NAME), gzipSync(`${header}\n${row}\n`));
  const { summary, files } = await run(service, dir);
  assert.deepEqual([summary.exitCode, files[0]?.status, files[0]?.rows], [0, 'verified', 1]);
  assert.equal((await run(service, dir)).files[0]?.status, 'skipped');
});

test('downloads a truncated file of another client again', async (t) => {
  const { service, dir } = await setUp(t);
  const cut = gzipSync('exchange,symbol\na,b\n').subarray(0, 30);
  await writeFile(join(dir, NAME), cut);
  const { summary, files, events } = await run(service, dir);
  assert.deepEqual([summary.exitCode, files[0]?.status], [0, 'downloaded']);
  assert.ok(events.some((event) => event.event === 'warning' && event.message.includes(NAME)));
  assert.deepEqual((await onDisk(dir)).whole, [NAME]);
});

test('--existing verify detects a changed byte that the size does not show', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir);
  const good = await readFile(join(dir, NAME));
  await writeFile(join(dir, NAME), gzipSync('x').subarray(0, 5));
  await truncate(join(dir, NAME), good.length);
  assert.equal((await run(service, dir)).files[0]?.status, 'skipped', 'skip trusts manifest and size');
  const { files } = await run(service, dir, { options: { existing: 'verify' } });
  assert.equal(files[0]?.status, 'downloaded');
  assert.deepEqual(await readFile(join(dir, NAME)), good);
  assert.equal((await run(service, dir, { options: { existing: 'verify' } })).files[0]?.status, 'verified');
});

test('downloads a deleted file again, whatever the manifest has', async (t) => {
  const { service, dir } = await setUp(t);
  await run(service, dir);
  await rm(join(dir, NAME));
  assert.equal((await run(service, dir)).files[0]?.status, 'downloaded');
});

test('an empty day is a complete file without rows', async (t) => {
  const { service, dir } = await setUp(t, { rows: 0 });
  const { summary, files } = await run(service, dir);
  assert.deepEqual([summary.exitCode, files[0]?.rows], [0, 0]);
});

test('a folder in place of the file fails only that file', async (t) => {
  const { service, dir } = await setUp(t);
  await mkdir(join(dir, NAME));
  const { summary, files } = await run(service, dir, {
    selection: { date: undefined, from: '2024-03-01', to: '2024-03-04' },
  });
  assert.equal(summary.exitCode, 8);
  assert.deepEqual(files.map((event) => event.status).sort(), ['downloaded', 'downloaded', 'failed']);
});

test('a symbolic link does not lead a file out of the folder', async (t) => {
  const { service, dir } = await setUp(t);
  const outside = await tempDir(t);
  await symlink(outside, join(dir, 'exchange=binance-futures'));
  const { summary } = await run(service, dir, { selection: { layout: 'hive' } });
  assert.equal(summary.exitCode, 8);
  assert.deepEqual(await readdir(outside), []);
});

test('does not write through a part file that is a symbolic link', async (t) => {
  const { service, dir } = await setUp(t);
  const victim = join(await tempDir(t), 'victim');
  await writeFile(victim, 'precious');
  await symlink(victim, join(dir, `${NAME}.part`));
  const { summary } = await run(service, dir);
  assert.equal(summary.exitCode, 8);
  assert.equal(await readFile(victim, 'utf8'), 'precious');
});
